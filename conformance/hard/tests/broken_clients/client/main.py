"""A client of MCP 2026-07-28 with the contract of the peers, in the standard library of Python.

It is correct, except for the faults that its first argument names, separated by commas.
"""

import json
import sys

from client import Client
from faults import FAULTS
from transport import Failed

DEFAULTS = {
    "method": "tools/call",
    "name": None,
    "arguments": "{}",
    "claims": "form,url",
    "answers": '{"*":{"action":"cancel"}}',
    "timeout-ms": "10000",
    "rounds": "10",
}


def read_options(arguments):
    options = dict(DEFAULTS)
    if "--stdio" in arguments:
        at = arguments.index("--stdio")
        assert arguments[at + 1] == "--"
        arguments, options["server"] = arguments[:at], arguments[at + 2 :]
    else:
        options["server"], *arguments = arguments
    for option, value in zip(arguments[::2], arguments[1::2], strict=True):
        assert option.removeprefix("--") in DEFAULTS, option
        options[option.removeprefix("--")] = value
    return {**options, "timeout-ms": int(options["timeout-ms"]), "rounds": int(options["rounds"])}


def main():
    if sys.argv[1:] == ["--faults"]:
        print("\n".join(FAULTS))
        return
    faults, command, *arguments = sys.argv[1:]
    faults = faults.split(",") if faults else []
    assert command == "call" and all(fault in FAULTS for fault in faults), faults
    try:
        client = Client(read_options(arguments), lambda fault: fault in faults)
        outcome = {"outcome": "complete", "text": client.call()}
    except Failed as error:
        outcome = {"outcome": "error", "code": error.code, "message": str(error)}
    print(json.dumps(outcome))


main()
