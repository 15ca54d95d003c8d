"""Writes RESULTS.md from what `conformance/run` left below `out`."""

import datetime
import json
import pathlib
import sys

PEERS = ["ours", "typescript", "python", "rmcp"]
VERSIONS = {
    "ours": "this repository",
    "typescript": "@modelcontextprotocol/client and server 2.4.0",
    "python": "mcp 2.3.0",
    "rmcp": "rmcp 3.11.0",
}
WORDS = {"passed": "yes", "failed": "**no**", "not_offered": "-"}


def load(out, name):
    path = out / name
    return json.loads(path.read_text()) if path.exists() else None


def cell(text, length=400):
    """Puts a text into a cell of a table."""
    line = " ".join(text.split()).replace("|", "\\|").replace("`", "'")
    return line if len(line) <= length else line[:length] + " .."


def side_by_side(out, role):
    reports = {peer: load(out, f"{role}-{peer}.json") for peer in PEERS}
    order, checks = [], {}
    for peer, report in reports.items():
        for check in report["checks"] if report else []:
            if check["id"] not in checks:
                order.append(check["id"])
            checks.setdefault(check["id"], {})[peer] = check
    print(f"\n## The {role}s\n")
    print("| check | level | source | " + " | ".join(PEERS) + " |")
    print("|---|---|---|" + "---|" * len(PEERS))
    for name in order:
        of = checks[name]
        first = next(iter(of.values()))
        words = [
            ("see below" if first["level"] == "INFO" else WORDS[of[peer]["verdict"]]) if peer in of else "?"
            for peer in PEERS
        ]
        print(f"| `{name}` | {first['level']} | {cell(first['source'])} | " + " | ".join(words) + " |")
    print(f"\n### What a maintainer of a {role} could act on\n")
    for name in order:
        for peer in PEERS:
            check = checks[name].get(peer)
            if check and check["verdict"] == "failed":
                print(f"- **{peer}** `{name}` ({check['level']}, {cell(check['source'])}): {cell(check['about'])}")
                print(f"  Sent: {cell(check['sent'])}")
                print(f"  Came back: {cell(check['came_back'])}")
    information = [name for name in order if next(iter(checks[name].values()))["level"] == "INFO"]
    if information:
        print("\n### For information\n")
    for name in information:
        for peer in PEERS:
            check = checks[name].get(peer)
            if check:
                seen = check.get("seen") or check.get("why") or check.get("came_back", "")
                print(f"- **{peer}** `{name}`: {cell(seen, 200)}")


def matrix(out):
    cells = load(out, "matrix.json") or []
    for transport in dict.fromkeys(cell["transport"] for cell in cells):
        print(f"\n### {transport}\n")
        servers = [peer for peer in PEERS if any(c["server"] == peer for c in cells)]
        print("| client \\ server | " + " | ".join(servers) + " |")
        print("|---|" + "---|" * len(servers))
        for client in servers:
            row = []
            for server in servers:
                pair = [c for c in cells if (c["transport"], c["client"], c["server"]) == (transport, client, server)]
                tried = [c for c in pair if c["verdict"] != "not_offered"]
                row.append(f"{sum(c['verdict'] == 'passed' for c in tried)}/{len(tried)}")
            print(f"| {client} | " + " | ".join(row) + " |")


def main():
    out = pathlib.Path(sys.argv[1])
    print("# Results of the last whole run\n")
    print(f"{datetime.date.today()}, from what the parts of `conformance/run` found. It says what was sent, what came")
    print("back, and which clause that is about; no more. `yes` passed, `no` failed, `-` is not offered.\n")
    for peer in PEERS:
        print(f"- {peer}: {VERSIONS[peer]}")
    print("\n## Every client with every server, honestly")
    matrix(out)
    for role in ["server", "client"]:
        side_by_side(out, role)


if __name__ == "__main__":
    main()
