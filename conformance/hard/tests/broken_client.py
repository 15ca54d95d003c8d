"""A client of MCP 2026-07-28 with the contract of the peers, in the standard library of Python.

It is sound as far as the checks of tests/client.rs go, but for the faults that its first argument
names, separated by commas.
"""

import argparse
import base64
import http.client
import json
import math
import socket
import sys
import time
import uuid
from urllib.parse import urlsplit

VERSION = "2026-07-28"
META = "io.modelcontextprotocol/"
SAMPLED = {"role": "assistant", "model": "test", "content": {"type": "text", "text": "sampled text"}}


class Failed(Exception):
    """The call ends in an error."""

    def __init__(self, message, code=None):
        super().__init__(message)
        self.code = code


class Client:
    def __init__(self, faults, options):
        self.faults = faults
        self.options = options
        self.claims = [] if options.claims == "none" else options.claims.split(",")
        self.answers = json.loads(options.answers)

    def has(self, fault):
        return fault in self.faults

    # ---- one call ----

    def call(self):
        options = self.options
        if options.method == "resources/read":
            params = {"uri": options.name}
        else:
            params = {"name": options.name, "arguments": json.loads(options.arguments)}
        retry, last_state = {}, None
        rounds_max = 200 if self.has("never-stops") else options.rounds or 10
        one_id = str(uuid.uuid4())
        for leg in range(rounds_max + 1):
            if leg and self.has("rounded-arguments") and "arguments" in params:
                params = {**params, "arguments": json.loads(json.dumps(params["arguments"]), parse_int=float)}
            request_id = one_id if self.has("one-id") else str(uuid.uuid4())
            result = self.send(request_id, params, retry, leg)
            kind = result.get("resultType", "complete")
            if kind == "complete" or (kind != "input_required" and self.has("any-type")):
                return self.text(result)
            if kind != "input_required":
                raise Failed("unknown resultType")
            retry, state = self.round(result), result.get("requestState")
            if state is None and self.has("keeps-state"):
                state = last_state
            if state is not None:
                last_state = state
                retry["requestState"] = self.echoed(state)
        raise Failed("too many rounds")

    def echoed(self, state):
        if self.has("trims-state"):
            return state.strip()
        if self.has("reads-state"):
            try:
                return json.dumps(json.loads(state))
            except ValueError:
                return state
        if self.has("drops-empty-state") and not state:
            return None
        return state

    def round(self, result):
        requests, state = result.get("inputRequests"), result.get("requestState")
        if not (requests is None or isinstance(requests, dict)):
            raise Failed("inputRequests is no object")
        if not (state is None or isinstance(state, str)) or not (requests or state is not None):
            raise Failed("neither requests nor a state")
        if not requests:
            if not self.has("no-pause"):
                time.sleep(0.3)
            return {}
        answers = {}
        for key, request in requests.items():
            try:
                self.check(request)
                answers[key] = self.answer(key, request)
            except Failed:
                if self.has("makes-up-declines"):
                    answers[key] = {"action": "decline"}
                elif not self.has("skips-bad-requests"):
                    raise
        if self.has("wraps-answers"):
            answers = {key: {"method": requests[key]["method"], "result": answer} for key, answer in answers.items()}
        if self.has("lists-answers"):
            answers = list(answers.values())
        return {"inputResponses": answers}

    def check(self, request):
        method = request.get("method") if isinstance(request, dict) else None
        params = request.get("params", {}) if isinstance(request, dict) else {}
        if method == "elicitation/create":
            mode = params.get("mode", "form")
            if mode not in self.claims:
                raise Failed("not claimed")
            if mode == "form" and not isinstance(params.get("requestedSchema"), dict):
                raise Failed("no schema")
            if mode == "url" and not urlsplit(params.get("url", "")).netloc:
                raise Failed("no URL")
        elif method == "sampling/createMessage":
            needs = {"tools": "sampling.tools", "toolChoice": "sampling.tools", "includeContext": "sampling.context"}
            claims = ["sampling"] + [claim for name, claim in needs.items() if name in params]
            if not all(claim in self.claims for claim in claims):
                raise Failed("not claimed")
        elif method == "roots/list":
            if "roots" not in self.claims:
                raise Failed("not claimed")
        else:
            raise Failed("unknown method")

    def answer(self, key, request):
        if request["method"] == "sampling/createMessage":
            return SAMPLED
        if request["method"] == "roots/list":
            return {"roots": [{"uri": "file:///tmp"}]}
        answer = self.answers.get(key, self.answers.get("*", {"action": "cancel"}))
        schema = request["params"].get("requestedSchema")
        if answer["action"] == "accept" and schema and not self.has("sends-any-answer"):
            fits(schema, answer.get("content", {}))
        if self.has("cancels-for-declines") and answer["action"] == "decline":
            return {"action": "cancel"}
        return answer

    @staticmethod
    def text(result):
        for blocks in (result.get("content"), result.get("contents")):
            for block in blocks or []:
                if "text" in block:
                    return block["text"]
        return result["messages"][0]["content"]["text"]

    # ---- one leg ----

    def capabilities(self, leg):
        claims = self.claims
        if leg and self.has("claims-once"):
            claims = []
        capabilities = {}
        modes = {mode: {} for mode in ("form", "url") if mode in claims or self.has("claims-everything")}
        if modes:
            capabilities["elicitation"] = modes
        if "sampling" in claims:
            more = ("tools", "context")
            capabilities["sampling"] = {name: {} for name in more if f"sampling.{name}" in claims}
        if "roots" in claims:
            capabilities["roots"] = {}
        return capabilities

    def send(self, request_id, params, retry, leg):
        meta = {
            META + "protocolVersion": VERSION,
            META + "clientInfo": {"name": "broken", "version": "0"},
            META + "clientCapabilities": self.capabilities(leg),
        }
        message = {
            "jsonrpc": "2.0",
            "id": request_id,
            "method": self.options.method,
            "params": {**params, "_meta": meta, **retry},
        }
        if leg and self.has("forgets-arguments"):
            message["params"].pop("arguments", None)
        name = params.get("name", params.get("uri"))
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": self.options.method,
            "Mcp-Name": name.encode("utf-8").decode("latin-1") if self.has("plain-names") else encoded(name),
        }
        if leg and self.has("names-once"):
            del headers["Mcp-Name"]
        if self.has("shows-state") and "requestState" in retry:
            print("retrying with", retry["requestState"], file=sys.stderr)
        body = json.dumps(message).encode()
        tries = 2 if self.has("sends-again") else 1
        for attempt in range(tries):
            try:
                return self.post(self.options.url, body, headers, request_id)
            except (OSError, http.client.HTTPException) as error:
                if attempt + 1 == tries:
                    raise Failed(f"connection: {error}") from error
        raise Failed("unreachable")

    def post(self, url, body, headers, request_id):
        parts = urlsplit(url)
        budget = None if self.has("waits-for-ever") else self.options.timeout_ms / 1000
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=budget)
        connection.request("POST", parts.path, body, headers)
        response = connection.getresponse()
        if response.status in (301, 302, 307, 308) and self.has("follows-redirects"):
            return self.post(response.headers["Location"], body, headers, request_id)
        deadline = time.monotonic() + (budget or math.inf)
        media_type = response.headers.get("Content-Type", "").split(";")[0].strip().lower()
        if media_type == "text/event-stream":
            return self.read_events(response, request_id, deadline)
        if media_type != "application/json":
            raise Failed(f"status {response.status}")
        body = response.read()
        if self.has("dies-of-depth") and b"[" * 1000 in body:
            sys.exit(1)
        hoard = bytearray(600_000_000) if self.has("hoards") and len(body) > 1_000_000 else b""
        if hoard:
            hoard[::4096] = b"x" * len(hoard[::4096])
            time.sleep(0.1)
        return self.result(parse(body), request_id)

    def read_events(self, response, request_id, deadline):
        data = []
        for line in lines(response):
            if time.monotonic() > deadline:
                raise Failed("timed out")
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
            elif not line and any(data):
                message, data = parse("\n".join(data).encode()), []
                if isinstance(message, dict) and "method" in message:
                    if "id" in message and self.has("answers-the-server"):
                        self.respond(message["id"])
                elif isinstance(message, dict) and ("result" in message or "error" in message):
                    return self.result(message, request_id)
            elif not line:
                data = []
        raise Failed("the stream ended")

    def respond(self, request_id):
        parts = urlsplit(self.options.url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=5)
        answer = {"jsonrpc": "2.0", "id": request_id, "result": {"action": "cancel"}}
        connection.request("POST", parts.path, json.dumps(answer), {"Content-Type": "application/json"})
        connection.getresponse().read()

    def result(self, message, request_id):
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise Failed("no message")
        if "error" in message:
            error = message["error"]
            if not isinstance(error, dict):
                raise Failed("no error object")
            code = None if self.has("loses-codes") else error.get("code")
            raise Failed(str(error.get("message")), code)
        if message.get("id") != request_id and not self.has("any-id"):
            raise Failed("another id")
        if not isinstance(message.get("result"), dict):
            raise Failed("no result")
        return message["result"]


def lines(response):
    """Splits an event stream, whose lines end in three ways."""
    for index, chunk in enumerate(response):
        text = chunk.decode().replace("\r\n", "\n").replace("\r", "\n")
        if index == 0:
            text = text.removeprefix("\ufeff")
        yield from text.removesuffix("\n").split("\n")


def parse(body):
    try:
        return json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Failed(f"no JSON: {type(error).__name__}") from error


def encoded(name):
    plain = name.isascii() and name.isprintable() and name.strip() == name
    if plain and not (name.startswith("=?base64?") and name.endswith("?=")):
        return name
    return f"=?base64?{base64.b64encode(name.encode()).decode()}?="


def fits(schema, content):
    """Raises if content breaks what a flat form says."""
    types = {"string": str, "boolean": bool, "array": list, "number": (int, float), "integer": int}
    missing = [name for name in schema.get("required", []) if name not in content]
    if missing:
        raise Failed("a field is missing")
    for name, value in content.items():
        field = schema.get("properties", {}).get(name, {})
        kind = field.get("type")
        if isinstance(value, bool) != (kind == "boolean") or not isinstance(value, types.get(kind, ())):
            raise Failed("a value of the wrong type")
        options = field.get("enum") or [option["const"] for option in field.get("oneOf", [])]
        if options and value not in options:
            raise Failed("no option")
        size = value if kind in ("number", "integer") else len(value) if kind in ("string", "array") else 0
        low = field.get("minimum", field.get("minLength", field.get("minItems", size)))
        high = field.get("maximum", field.get("maxLength", field.get("maxItems", size)))
        if not low <= size <= high:
            raise Failed("out of range")


def main():
    faults, command, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
    assert command == "call"
    parser = argparse.ArgumentParser()
    parser.add_argument("url", nargs="?")
    for option, default in (
        ("--method", "tools/call"),
        ("--name", None),
        ("--arguments", "{}"),
        ("--claims", "form,url"),
        ("--answers", '{"*":{"action":"cancel"}}'),
    ):
        parser.add_argument(option, default=default)
    parser.add_argument("--timeout-ms", type=int, default=10000)
    parser.add_argument("--rounds", type=int)
    options = parser.parse_args(rest)
    socket.setdefaulttimeout(None)
    try:
        outcome = {"outcome": "complete", "text": Client(faults.split(","), options).call()}
    except Failed as error:
        outcome = {"outcome": "error", "code": error.code, "message": str(error)}
    print(json.dumps(outcome))


main()
