"""One call of a client of MCP 2026-07-28: discovery, the list of tools, and the legs."""

import binascii
import json
import os
import sys
import time

import forms
from transport import Failed, Http, Stdio, TimedOut

VERSION = "2026-07-28"
META = "io.modelcontextprotocol/"
SAMPLED = {"role": "assistant", "model": "test", "content": {"type": "text", "text": "sampled text"}}
ROOTS = {"roots": [{"uri": "file:///tmp"}]}
EVERYTHING = ["form", "url", "sampling", "sampling.tools", "sampling.context", "roots"]
OBJECT_NAMES = ("__proto__", "constructor", "toJSON")
PROTOCOL_NAMES = ("requestState", "inputResponses", "inputRequests", "_meta")


class Client:
    def __init__(self, options, has):
        self.options, self.has = options, has
        self.claims = [] if options["claims"] == "none" else options["claims"].split(",")
        self.answers = json.loads(options["answers"])
        server = options["server"]
        self.transport = Stdio(server, has) if isinstance(server, list) else Http(server, has)
        self.one_id = self.new_id()
        self.is_legacy = False
        self.parameters = {}
        self.began = None

    # ---- one call ----

    def call(self):
        try:
            self.discover()
            if self.options["method"] == "tools/call":
                self.list_tools()
            text = self.rounds()
            if self.has("calls-twice"):
                self.rounds()
            return text
        except Failed:
            if self.has("retries-errors"):
                return self.rounds()
            raise
        finally:
            self.transport.close()

    def rounds(self):
        params = self.params()
        retry, first_state, last_state = {}, None, None
        if self.has("first-leg-answers"):
            retry["inputResponses"] = {}
        rounds_max = 200 if self.has("never-stops") else self.options["rounds"]
        for leg in range(rounds_max + 1):
            if leg:
                params = self.params_of_retry(params)
            result = self.send_leg(params, retry, leg)
            kind = self.kind(result)
            if kind == "complete" or (kind != "input_required" and self.has("any-type")):
                return text(result)
            if kind != "input_required":
                raise Failed("unknown resultType")
            if self.is_legacy and not self.has("legacy-rounds"):
                raise Failed("an earlier revision has no rounds")
            earlier = retry
            try:
                retry, state = self.round(result), result.get("requestState")
            except Failed:
                if not self.has("retries-anyway"):
                    raise
                retry, state = {}, None
            if self.has("repeats-answers") and not retry:
                retry["inputResponses"] = earlier.get("inputResponses", {})
            first_state = first_state or state
            if state is None and self.has("keeps-state"):
                state = last_state
            last_state = state
            if state is None:
                if self.has("null-state"):
                    retry["requestState"] = None
            elif not self.has("drops-state"):
                retry["requestState"] = self.echoed(first_state if self.has("first-state") else state)
        raise Failed("too many rounds")

    def kind(self, result):
        if "resultType" not in result and self.has("wants-result-type"):
            raise Failed("no resultType")
        return result.get("resultType", "complete")

    def params(self):
        options = self.options
        if options["method"] == "resources/read":
            return {"uri": options["name"]}
        arguments = json.loads(options["arguments"])
        if self.has("arguments-as-texts"):
            arguments = {name: str(it) if isinstance(it, (int, float)) else it for name, it in arguments.items()}
        return {"name": options["name"], "arguments": arguments}

    def params_of_retry(self, params):
        if "arguments" not in params or self.has("drops-arguments"):
            return {name: it for name, it in params.items() if name != "arguments"}
        arguments = params["arguments"]
        if self.has("rounds-numbers"):
            arguments = json.loads(json.dumps(arguments), parse_int=float)
        if self.has("drops-empty-values"):
            arguments = {name: it for name, it in arguments.items() if it not in (None, "", [], {})}
        if self.has("drops-odd-names"):
            arguments = {name: it for name, it in arguments.items() if name[:1].isalpha()}
        if self.has("drops-protocol-names"):
            arguments = {name: it for name, it in arguments.items() if name not in PROTOCOL_NAMES}
        if self.has("trims-texts"):
            arguments = {name: it.strip("\0 ") if isinstance(it, str) else it for name, it in arguments.items()}
        return {**params, "arguments": arguments}

    def echoed(self, state):
        if self.has("drops-empty-state") and not state:
            return None
        if self.has("guesses-state-type"):
            try:
                return json.loads(state)
            except ValueError:
                return state
        if self.has("trims-state"):
            state = state.strip()
        if self.has("normalizes-state"):
            import unicodedata

            state = unicodedata.normalize("NFC", state)
        if self.has("unescapes-state"):
            from urllib.parse import unquote

            state = unquote(state)
        if self.has("ascii-state"):
            state = state.encode("ascii", "ignore").decode()
        if self.has("strips-byte-order-marks"):
            state = state.strip("\ufeff")
        if self.has("joins-lines"):
            state = " ".join(state.splitlines())
        if self.has("cuts-state"):
            state = state[:1000]
        if self.has("replaces-surrogates"):
            state = state.encode("utf-8", "replace").decode()
        if self.has("shares-state"):
            state = self.shared(state)
        return state

    def shared(self, state):
        """The last state that any client of this server has received."""
        import tempfile

        port = self.options["server"].split(":")[2].split("/")[0]
        path = os.path.join(tempfile.gettempdir(), f"broken-client-{port}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(state)
        time.sleep(0.3)
        try:
            with open(path, encoding="utf-8") as file:
                state = file.read()
            time.sleep(0.3)
            os.unlink(path)
        except FileNotFoundError:
            pass
        return state

    # ---- one round ----

    def round(self, result):
        requests, state = result.get("inputRequests"), result.get("requestState")
        if not (requests is None or isinstance(requests, dict)):
            raise Failed("inputRequests is not an object")
        if not (state is None or isinstance(state, str)) or not (requests or state is not None):
            raise Failed("there are neither requests nor a state")
        if self.has("refuses-unknown-members") and not result.keys() <= {"resultType", "inputRequests", "requestState"}:
            raise Failed("a member is unknown")
        if not requests:
            if self.has("refuses-state-only"):
                raise Failed("there are no requests")
            time.sleep(0.05)
            return {}
        answers = {}
        for key, request in requests.items():
            try:
                answers[key] = self.answer(key, request)
            except Failed:
                if self.has("declines-unclaimed"):
                    answers[key] = {"action": "decline"}
                elif not self.has("skips-bad-requests"):
                    raise
        return {} if self.has("no-answers") else {"inputResponses": self.sent(answers, requests)}

    def sent(self, answers, requests):
        """The answers as they are sent: under their keys, unless a fault changes it."""
        if self.has("wraps-answers"):
            answers = {key: {"method": requests[key]["method"], "result": it} for key, it in answers.items()}
        if self.has("answers-unasked"):
            answers = {**answers, **{key: it for key, it in self.answers.items() if key != "*"}}
        if self.has("one-key"):
            answers = {"answer": it for it in answers.values()}
        if self.has("lower-keys"):
            answers = {key.lower(): it for key, it in answers.items()}
        if self.has("trims-keys"):
            answers = {"".join(key.split()): it for key, it in answers.items()}
        if self.has("drops-odd-keys"):
            answers = {key: it for key, it in answers.items() if key[:1].isalpha()}
        if self.has("drops-object-names"):
            answers = {key: it for key, it in answers.items() if key not in OBJECT_NAMES}
        if self.has("cuts-keys"):
            answers = {key[:100]: it for key, it in answers.items()}
        return list(answers.values()) if self.has("lists-answers") else answers

    def answer(self, key, request):
        if not isinstance(request, dict):
            raise Failed("a request is not an object")
        method, params = request.get("method"), request.get("params", {})
        if method == "elicitation/create":
            return self.elicited(key, params)
        if method == "sampling/createMessage":
            needs = {"tools": "sampling.tools", "toolChoice": "sampling.tools", "includeContext": "sampling.context"}
            self.expect_claims(["sampling"] + [claim for name, claim in needs.items() if name in params])
            return "sampled text" if self.has("bare-texts") else SAMPLED
        if method == "roots/list":
            self.expect_claims(["roots"])
            return ROOTS["roots"] if self.has("bare-texts") else ROOTS
        raise Failed("a method is unknown")

    def elicited(self, key, params):
        mode = params.get("mode", None if self.has("wants-mode") else "form")
        if mode not in ("form", "url"):
            raise Failed("a mode is unknown")
        self.expect_claims([mode])
        given = self.answers.get(key, self.answers.get("*", {"action": "cancel"}))
        if mode == "url":
            self.read_url(params.get("url"))
        else:
            given = self.filled_in(params.get("requestedSchema"), given)
        changes = {
            "cancels-for-declines": ("decline", "cancel"),
            "declines-for-cancels": ("cancel", "decline"),
            "declines-for-accepts": ("accept", "decline"),
        }
        for fault, (action, other) in changes.items():
            if self.has(fault) and given["action"] == action:
                return {"action": other}
        return {"content": {}, **given} if self.has("content-always") else given

    def read_url(self, url):
        if self.has("opens-anything"):
            return
        scheme, separator, rest = str(url).partition("://")
        if scheme not in ("http", "https") or not separator or not rest.split("/")[0] or " " in rest:
            raise Failed("a URL is invalid")
        if self.has("fetches-urls"):
            self.fetch(url)

    def fetch(self, url):
        if url.startswith("http://127.0.0.1:"):
            page = Http(url, self.has)
            page.request("GET", page.path)

    def filled_in(self, schema, given):
        if not isinstance(schema, dict):
            raise Failed("there is no schema")
        fields = schema.get("properties", {})
        if self.has("dies-of-patterns") and "pattern" in json.dumps(fields):
            sys.exit(1)
        if self.has("fetches-references"):
            for field in fields.values():
                self.fetch(field.get("$ref", ""))
        try:
            forms.read(schema, self.has)
            if given["action"] == "accept":
                forms.check(schema, given.get("content", {}), self.has)
                given = {**given, "content": forms.changed(schema, given.get("content", {}), self.has)}
        except forms.Unfit as error:
            raise Failed(str(error)) from error
        return given

    def expect_claims(self, claims):
        if not all(claim in self.claims for claim in claims) and not self.has("answers-unclaimed"):
            raise Failed("a request was not claimed")

    # ---- before the legs ----

    def discover(self):
        try:
            self.other("server/discover", {})
        except Failed as error:
            if self.has("wants-discovery"):
                sys.exit(1)
            if error.code == -32022 and self.has("tries-versions"):
                for _ in range(10):
                    self.other("server/discover", {}, ignore_errors=True)
            if error.code != -32601:
                raise
            self.shake_hands()

    def shake_hands(self):
        """Speaks the earlier revision with a server that does not know discovery."""
        client = {"protocolVersion": "2025-11-25", "capabilities": self.capabilities(0), "clientInfo": {"name": "broken", "version": "0"}}
        self.is_legacy = True
        try:
            self.other("initialize", client)
            self.transport.notify({"jsonrpc": "2.0", "method": "notifications/initialized"}, self.headers("notifications/initialized"))
        except Failed:
            self.is_legacy = False

    def list_tools(self):
        listed = self.other("tools/list", {}, ignore_errors=True)
        for tool in (listed or {}).get("tools", []):
            if tool.get("name") == self.options["name"]:
                for name, schema in tool["inputSchema"].get("properties", {}).items():
                    if "x-mcp-header" in schema:
                        self.parameters[name] = schema["x-mcp-header"]

    def other(self, method, params, ignore_errors=False):
        """Sends a request that is not a leg."""
        if self.has("answers-everywhere"):
            params = {**params, "inputResponses": {}}
        try:
            result = self.send(self.new_id(), method, params, {}, 0)
            if result.get("resultType") == "input_required" and self.has("answers-lists"):
                result = self.send(self.new_id(), method, {**params, **self.round(result)}, {}, 0)
            return result
        except Failed:
            if not ignore_errors:
                raise
            return None

    # ---- one leg ----

    def send_leg(self, params, retry, leg):
        request_id = self.one_id if self.has("one-id") else self.new_id()
        if self.has("shows-state") and "requestState" in retry:
            print("retrying with", retry["requestState"], file=sys.stderr)
        try:
            return self.send(request_id, self.options["method"], {**params, **retry}, params, leg)
        except TimedOut:
            raise
        except Failed:
            if self.has("takes-anything"):
                return {"content": [{"type": "text", "text": "anything"}]}
            raise

    def send(self, request_id, method, params, target, leg):
        if not self.is_legacy:
            params = {**params, "_meta": self.meta(leg)}
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        headers = self.headers(method, target, leg)
        is_answer = lambda it: (
            isinstance(it, dict)
            and ("result" in it or "error" in it)
            and (it.get("id") == request_id or self.has("any-id"))
        )
        answer = self.transport.exchange(message, headers, self.deadline(), is_answer)
        return self.result(answer, request_id)

    def deadline(self):
        budget = self.options["timeout-ms"] / 1000
        if self.has("waits-long"):
            budget *= 5
        now = time.monotonic()
        if self.began is None or not self.has("one-budget"):
            self.began = now
        return self.began + budget

    def meta(self, leg):
        meta = {
            META + "protocolVersion": VERSION,
            META + "clientInfo": {"name": "broken", "version": "0"},
            META + "clientCapabilities": self.capabilities(leg),
        }
        if self.has("drops-meta"):
            meta = {META + "clientInfo": meta[META + "clientInfo"]}
        if self.has("anonymous"):
            del meta[META + "clientInfo"]
        return meta

    def capabilities(self, leg):
        claims = EVERYTHING if self.has("claims-everything") else self.claims
        if leg and self.has("claims-once"):
            claims = []
        capabilities = {}
        modes = {mode: {} for mode in ("form", "url") if mode in claims}
        if modes:
            capabilities["elicitation"] = modes
        if "sampling" in claims:
            capabilities["sampling"] = {name: {} for name in ("tools", "context") if f"sampling.{name}" in claims}
        if "roots" in claims:
            capabilities["roots"] = {}
        return capabilities

    def headers(self, method, target=(), leg=0):
        target = dict(target)
        headers = {
            "Content-Type": "text/plain" if self.has("plain-content-type") else "application/json",
            "Accept": "application/json" + ("" if self.has("accepts-json-only") else ", text/event-stream"),
            "MCP-Protocol-Version": "2025-11-25" if self.is_legacy else VERSION,
            "Mcp-Method": method,
        }
        name = target.get("name", target.get("uri"))
        if name is not None and not (leg and self.has("names-once")):
            headers["Mcp-Name"] = name if self.has("plain-names") else encoded(name)
        if not self.has("drops-parameter-headers"):
            for parameter, header in self.parameters.items():
                if parameter in target.get("arguments", {}):
                    headers[f"Mcp-Param-{header}"] = encoded(str(target["arguments"][parameter]))
        if self.has("drops-version-header"):
            del headers["MCP-Protocol-Version"]
        if self.has("drops-method-header"):
            del headers["Mcp-Method"]
        if self.has("sends-credentials"):
            headers["Authorization"] = "Bearer secret"
        return headers

    def new_id(self):
        new = int.from_bytes(os.urandom(6), "big")
        return new + 0.5 if self.has("fraction-ids") else f"id-{new}"

    def result(self, message, request_id):
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise Failed("no message")
        if "error" in message:
            error = message["error"]
            if not isinstance(error, dict):
                raise Failed("the error is not an object")
            raise Failed(str(error.get("message")), None if self.has("loses-codes") else error.get("code"))
        if message.get("id") != request_id and not self.has("any-id"):
            raise Failed("another id")
        if not isinstance(message.get("result"), dict):
            raise Failed("no result")
        return message["result"]


def text(result):
    """The first text of a result."""
    for blocks in (result.get("content"), result.get("contents")):
        for block in blocks or []:
            if "text" in block:
                return block["text"]
    return result["messages"][0]["content"]["text"]


def encoded(name):
    """A text as a header holds it: plain if possible, otherwise in base64."""
    plain = name.isascii() and name.isprintable() and name.strip() == name and name
    if plain and not (name.startswith("=?base64?") and name.endswith("?=")):
        return name
    return f"=?base64?{binascii.b2a_base64(name.encode(), newline=False).decode()}?="
