#!/usr/bin/env python3
"""The peer on the Python SDK. `serve` and `call` are described in ../../README.md."""

from __future__ import annotations

import argparse
import json
import os
import socket
import sys
from collections.abc import Callable
from typing import Any

import anyio
import jsonschema
from mcp import Client, MCPError, StdioServerParameters
from mcp.client import ClientRequestContext
from mcp.server.mcpserver import Context, MCPServer, RequestStateSecurity
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
    Implementation,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    Root,
    SamplingCapability,
    SamplingContextCapability,
    SamplingMessage,
    SamplingToolsCapability,
    TextContent,
    Tool,
)

REVISION = "2026-07-28"
NAME = "python-peer"

# ---- serve ----


def form(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    required = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": required}


TARGET = form({"environment": {"type": "string", "enum": ["staging", "production"]}, "confirm": {"type": "boolean"}})
WHO = form({"name": {"type": "string"}})
COUNT = form({"count": {"type": "integer"}})
VALUE = form({"value": {"type": "string"}})
OK = form({"ok": {"type": "boolean"}}, [])
TITLED = [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]
SPELLINGS = form(
    {
        "text": {"type": "string", "minLength": 1, "maxLength": 10},
        "number": {"type": "number", "minimum": 0, "maximum": 1},
        "integer": {"type": "integer", "minimum": 1, "maximum": 5},
        "flag": {"type": "boolean", "default": True},
        "choice": {"type": "string", "enum": ["a", "b"]},
        "titled": {"type": "string", "oneOf": TITLED},
        "legacy": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
        "choices": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        "titled_choices": {"type": "array", "items": {"anyOf": TITLED}},
    },
    [],
)
PAST = {"accept": "accepted", "decline": "declined", "cancel": "cancelled"}


def elicit(message: str, schema: dict[str, Any]) -> InputRequest:
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def ask(requests: dict[str, InputRequest] | None, state: str | None = None) -> InputRequiredResult:
    """A result that asks. The server seals and opens the state, and binds it to the call."""
    return InputRequiredResult(input_requests=requests, request_state=state)


def answer(ctx: Context, key: str) -> Any:
    return (ctx.input_responses or {}).get(key)


def refused(ctx: Context, key: str) -> str | None:
    """Returns `declined` or `cancelled` if the user refused the question under `key`."""
    got = answer(ctx, key)
    return PAST[got.action] if isinstance(got, ElicitResult) and got.action != "accept" else None


def accepted(ctx: Context, key: str, schema: dict[str, Any]) -> dict[str, Any] | None:
    """Returns the accepted content under `key`, if it is there and fits the form."""
    got = answer(ctx, key)
    if not isinstance(got, ElicitResult) or got.action != "accept" or got.content is None:
        return None
    try:
        jsonschema.validate(got.content, schema)
    except jsonschema.ValidationError:
        return None
    return got.content


def sampled_text(result: CreateMessageResult | CreateMessageResultWithTools) -> str:
    blocks = result.content if isinstance(result.content, list) else [result.content]
    return next((block.text for block in blocks if isinstance(block, TextContent)), "")


def ask_who(ctx: Context, name: str) -> str | InputRequiredResult:
    """Asks for `name` with one form, for the prompt and the resource."""
    if ctx.request_state == name:
        if refusal := refused(ctx, "who"):
            return refusal
        if content := accepted(ctx, "who", WHO):
            return f"{name}:{content['name']}"
    return ask({"who": elicit("Who?", WHO)}, name)


def build(ttl: float | None) -> MCPServer:
    security = RequestStateSecurity.ephemeral() if ttl is None else RequestStateSecurity.ephemeral(ttl=ttl)
    server = MCPServer(NAME, version="0.0.0", log_level="WARNING", request_state_security=security)

    @server.tool()
    async def plain() -> str:
        return "plain"

    @server.tool(name="form")
    async def form_(ctx: Context, note: str | None = None) -> str | InputRequiredResult:
        if ctx.request_state == "form":
            if refusal := refused(ctx, "target"):
                return refusal
            if target := accepted(ctx, "target", TARGET):
                return f"accepted:{target['environment']}:{json.dumps(target['confirm'])}"
        return ask({"target": elicit("Where to?", TARGET)}, "form")

    @server.tool()
    async def spellings(ctx: Context) -> str | InputRequiredResult:
        if refusal := refused(ctx, "all"):
            return refusal
        content = accepted(ctx, "all", SPELLINGS)
        if content is None:
            return ask({"all": elicit("All of them", SPELLINGS)})
        return f"spellings:{json.dumps(content, sort_keys=True, separators=(',', ':'), ensure_ascii=False)}"

    @server.tool()
    async def url(ctx: Context) -> str | InputRequiredResult:
        got = answer(ctx, "pay")
        if isinstance(got, ElicitResult):
            return "consented" if got.action == "accept" else PAST[got.action]
        return ask({"pay": ElicitRequest(params=ElicitRequestURLParams(message="Pay here", url="https://example.org/pay"))})

    def sampling(name: str, **more: Any) -> None:
        params = CreateMessageRequestParams(
            messages=[SamplingMessage(role="user", content=TextContent(type="text", text="hello"))], max_tokens=10, **more
        )

        @server.tool(name=name)
        async def sample(ctx: Context) -> str | InputRequiredResult:
            got = answer(ctx, "model")
            if isinstance(got, CreateMessageResult | CreateMessageResultWithTools):
                return f"sampled:{sampled_text(got)}"
            return ask({"model": CreateMessageRequest(params=params)})

    sampling("sampling")
    sampling("sampling_tools", tools=[Tool(name="t", input_schema={"type": "object"})])
    sampling("sampling_context", include_context="thisServer")

    @server.tool()
    async def roots(ctx: Context) -> str | InputRequiredResult:
        got = answer(ctx, "roots")
        return f"roots:{len(got.roots)}" if isinstance(got, ListRootsResult) else ask({"roots": ListRootsRequest()})

    @server.tool()
    async def several(ctx: Context) -> str | InputRequiredResult:
        if ctx.request_state == "several":
            if refusal := refused(ctx, "a") or refused(ctx, "b"):
                return refusal
            a, b = accepted(ctx, "a", VALUE), accepted(ctx, "b", VALUE)
            if a and b:
                return f"several:{a['value']}:{b['value']}"
        return ask({"b": elicit("Value of b", VALUE), "a": elicit("Value of a", VALUE)}, "several")

    @server.tool()
    async def two_rounds(ctx: Context) -> str | InputRequiredResult:
        state = json.loads(ctx.request_state or "{}")
        refusal = state and refused(ctx, "first" if state["round"] == 1 else "second")
        if refusal:
            return refusal
        name = state.get("name")
        if state.get("round") == 1 and (first := accepted(ctx, "first", WHO)):
            name = first["name"]
        if name is None:
            return ask({"first": elicit("What name?", WHO)}, json.dumps({"round": 1}))
        if state["round"] == 2 and (second := accepted(ctx, "second", COUNT)):
            return f"two:{name}:{second['count']}"
        return ask({"second": elicit("How many?", COUNT)}, json.dumps({"round": 2, "name": name}))

    @server.tool()
    async def state_only(ctx: Context) -> str | InputRequiredResult:
        return "waited" if ctx.request_state == "state_only" else ask(None, "state_only")

    @server.tool()
    async def forever(ctx: Context) -> InputRequiredResult:
        return ask({"again": elicit("Again?", OK)}, "forever")

    @server.prompt(name="ask")
    async def ask_prompt(ctx: Context) -> str | InputRequiredResult:
        return ask_who(ctx, "prompt")

    # Only a template's function takes the context that the answers are on.
    @server.resource("ask://{name}", mime_type="text/plain")
    async def ask_resource(name: str, ctx: Context) -> str | InputRequiredResult:
        return ask_who(ctx, "resource")

    return server


async def serve_http(server: MCPServer, port: int, sse: bool) -> None:
    import uvicorn

    listener = socket.create_server(("127.0.0.1", port))

    class Announcing(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            print(f"listening http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)

    app = server.streamable_http_app(json_response=not sse)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    await Announcing(config).serve(sockets=[listener])


def serve(options: argparse.Namespace) -> None:
    server = build(options.ttl)
    if options.stdio:
        server.run("stdio")
    else:
        anyio.run(serve_http, server, options.port, options.sse)


# ---- call ----


def callbacks(claims: list[str], answers: dict[str, Any]) -> dict[str, Any]:
    """Returns handlers for the claims. The SDK derives the capabilities from them."""

    async def elicitation(ctx: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        # The id of an embedded request is its key in `inputRequests`.
        given = answers.get(str(ctx.request_id), answers.get("*", {"action": "cancel"}))
        return ElicitResult.model_validate(given)

    async def sampling(ctx: ClientRequestContext, params: CreateMessageRequestParams) -> CreateMessageResult:
        return CreateMessageResult(role="assistant", model="test", content=TextContent(type="text", text="sampled text"))

    async def roots(ctx: ClientRequestContext) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri="file:///tmp")])

    used: dict[str, Any] = {}
    if "form" in claims or "url" in claims:
        used["elicitation_callback"] = elicitation
    if any(claim.startswith("sampling") for claim in claims):
        used["sampling_callback"] = sampling
        used["sampling_capabilities"] = SamplingCapability(
            tools=SamplingToolsCapability() if "sampling.tools" in claims else None,
            context=SamplingContextCapability() if "sampling.context" in claims else None,
        )
    if "roots" in claims:
        used["list_roots_callback"] = roots
    return used


async def outcome(options: argparse.Namespace, server: str | StdioServerParameters) -> dict[str, Any]:
    claims = [] if options.claims == "none" else options.claims.split(",")
    rounds = {} if options.rounds is None else {"input_required_max_rounds": options.rounds}
    async with Client(
        server,
        read_timeout_seconds=options.timeout_ms / 1000,
        client_info=Implementation(name=NAME, version="0.0.0"),
        **callbacks(claims, options.answers),
        **rounds,
    ) as client:
        # `auto` falls back to the older handshake in silence; that would test nothing here.
        if client.protocol_version != REVISION:
            raise RuntimeError(f"negotiated {client.protocol_version}, not {REVISION}")
        match options.method:
            case "tools/call":
                result = await client.call_tool(options.name, options.arguments)
                text = next((block.text for block in result.content if isinstance(block, TextContent)), "")
            case "prompts/get":
                text = getattr((await client.get_prompt(options.name, options.arguments)).messages[0].content, "text", "")
            case "resources/read":
                text = getattr((await client.read_resource(options.name)).contents[0], "text", "")
        return {"outcome": "complete", "text": text}


def first_error(error: BaseException) -> BaseException:
    """Returns the error that a task group wraps."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def call(options: argparse.Namespace) -> None:
    if options.stdio:
        command, *args = options.command
        server: str | StdioServerParameters = StdioServerParameters(command=command, args=args, env=dict(os.environ))
    else:
        server = options.url
    try:
        line = anyio.run(outcome, options, server)
    except Exception as wrapped:
        error = first_error(wrapped)
        code = error.error.code if isinstance(error, MCPError) else None
        line = {"outcome": "error", "code": code, "message": str(error) or type(error).__name__}
    print(json.dumps(line), flush=True)


def parse(argv: list[str]) -> tuple[Callable[[argparse.Namespace], None], argparse.Namespace]:
    command: list[str] = []
    if "--" in argv:
        split = argv.index("--")
        argv, command = argv[:split], argv[split + 1 :]
    parser = argparse.ArgumentParser(prog="peer.py", allow_abbrev=False)
    subcommands = parser.add_subparsers(required=True)

    serving = subcommands.add_parser("serve", allow_abbrev=False)
    serving.add_argument("--port", type=int)
    serving.add_argument("--stdio", action="store_true")
    serving.add_argument("--sse", action="store_true")
    serving.add_argument("--ttl", type=float)
    serving.add_argument("--rounds", type=int)
    serving.set_defaults(run=serve)

    calling = subcommands.add_parser("call", allow_abbrev=False)
    calling.add_argument("url", nargs="?")
    calling.add_argument("--stdio", action="store_true")
    calling.add_argument("--method", choices=["tools/call", "prompts/get", "resources/read"], default="tools/call")
    calling.add_argument("--name", required=True)
    calling.add_argument("--arguments", type=json.loads, default={})
    calling.add_argument("--claims", default="form,url")
    calling.add_argument("--answers", type=json.loads, default={"*": {"action": "cancel"}})
    calling.add_argument("--timeout-ms", type=int, default=10000)
    calling.add_argument("--rounds", type=int)
    calling.set_defaults(run=call)

    options = parser.parse_args(argv)
    options.command = command
    if options.run is serve and not options.stdio and options.port is None:
        parser.error("serve needs --port N or --stdio")
    if options.run is call and not (command if options.stdio else options.url):
        parser.error("call needs URL, or --stdio -- COMMAND")
    return options.run, options


if __name__ == "__main__":
    run, parsed = parse(sys.argv[1:])
    run(parsed)
