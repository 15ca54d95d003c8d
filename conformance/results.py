"""Writes RESULTS.md from the reports of `conformance/run` in a folder.

python3 results.py out > RESULTS.md
"""

import collections
import datetime
import json
import pathlib
import re
import sys

PEERS = ["ours", "typescript", "python", "rmcp"]
VERSIONS = {
    "ours": "this repository",
    "typescript": "`@modelcontextprotocol/client` and `server` 2.4.0",
    "python": "`mcp` 2.3.0",
    "rmcp": "`rmcp` 3.11.0",
}
LEVELS = {
    "MUST": "The specification says MUST or MUST NOT.",
    "SHOULD": "The specification says SHOULD, or states it without such a word.",
    "OWN": "The specification leaves it open. This project requires it of its own programs; a peer that does otherwise breaks no rule.",
}
ROLES = ["server", "client"]
WORDS = {"passed": "yes", "failed": "**no**", "not_offered": "-"}
EVERYTHING = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}}
# The answer that most clients are told to give, and the state that most of them get.
YES = '{"*":{"action":"accept","content":{"value":"v"}}}'
STATE = "opaque-7f3a9c"
META = "io.modelcontextprotocol/clientCapabilities"


def main():
    out = pathlib.Path(sys.argv[1])
    reports = {role: {peer: load(out / f"{role}-{peer}.json") for peer in PEERS} for role in ROLES}
    cells = load(out / "matrix.json") or []
    head(reports)
    totals(reports)
    matrix(cells)
    for role in ROLES:
        checks = by_id(reports[role])
        print(f"\n## The {role}s")
        differences(checks)
        tables(checks)
        information(checks)


def load(path):
    return json.loads(path.read_text()) if path.exists() else None


def by_id(reports):
    """Returns the checks by their ids, in their order, and each by the peer."""
    checks = collections.OrderedDict()
    for peer, report in reports.items():
        for check in report["checks"] if report else []:
            checks.setdefault(check["id"], {})[peer] = check
    return checks


def head(reports):
    times = [report["at"] for role in ROLES for report in reports[role].values() if report]
    date = datetime.datetime.fromtimestamp(max(times), datetime.timezone.utc).date() if times else "never"
    print("# Results of the last whole run\n")
    print(f"{date}, MCP 2026-07-28. `conformance/run` writes this page; nobody edits it.\n")
    print("A peer is an SDK and a small program on it, which is written as the documentation of the SDK")
    print("shows (`peers/`). The results are those of both together: an application may do by hand what an")
    print("SDK leaves to it, and `peers/*/LIMITS.md` lists it. The checks are in `hard/src`, each with")
    print("the clause that it comes from.\n")
    for level, meaning in LEVELS.items():
        print(f"- **{level}**: {meaning}")


def totals(reports):
    print("\n| passed / failed | " + " | ".join(PEERS) + " |")
    print("|---|" + "---|" * len(PEERS))
    print("| version | " + " | ".join(VERSIONS[peer] for peer in PEERS) + " |")
    for role in ROLES:
        for level in LEVELS:
            print(f"| {role}, {level} | " + " | ".join(total(reports[role][peer], level) for peer in PEERS) + " |")
        not_offered = [total_not_offered(reports[role][peer]) for peer in PEERS]
        print(f"| {role}, not offered | " + " | ".join(not_offered) + " |")


def total(report, level):
    if not report:
        return "not run"
    verdicts = [check["verdict"] for check in report["checks"] if check["level"] == level]
    return f"{verdicts.count('passed')} / {verdicts.count('failed')}"


def total_not_offered(report):
    checks = report["checks"] if report else []
    return str(sum(check["verdict"] == "not_offered" and check["level"] in LEVELS for check in checks))


def matrix(cells):
    if not cells:
        return
    print("\n## Every client with every server, honestly\n")
    print("The flows of `hard/src/matrix/flow.rs` that passed, of those that both offer: over HTTP, and over stdio.\n")
    servers = [peer for peer in PEERS if any(cell["server"] == peer for cell in cells)]
    print("| client \\ server | " + " | ".join(servers) + " |")
    print("|---|" + "---|" * len(servers))
    for client in servers:
        row = [
            ", ".join(pair(cells, transport, client, server) for transport in ["http", "stdio"]) for server in servers
        ]
        print(f"| {client} | " + " | ".join(row) + " |")


def pair(cells, transport, client, server):
    names = (transport, client, server)
    verdicts = [c["verdict"] for c in cells if (c["transport"], c["client"], c["server"]) == names]
    return f"{verdicts.count('passed')}/{len(verdicts) - verdicts.count('not_offered')}"


def differences(checks):
    """Prints a line for each check that a peer fails: what was sent and what came back, by clause."""
    for level, meaning in LEVELS.items():
        clauses = collections.OrderedDict()
        for name, of in checks.items():
            failed = {peer: check for peer, check in of.items() if check["verdict"] == "failed"}
            if failed and any_of(of)["level"] == level:
                abouts = clauses.setdefault(any_of(of)["source"], collections.OrderedDict())
                abouts.setdefault(any_of(of)["about"], []).append((name, failed))
        if not clauses:
            continue
        print(f"\n### {level}, and otherwise\n\n{meaning}")
        for source, abouts in clauses.items():
            print(f"\n{cell(source, 300)}\n")
            for about, failures in abouts.items():
                # A sentence that several checks share is printed once.
                is_common = len(failures) > 1
                indent = "  " if is_common else ""
                if is_common:
                    print(f"- {sentence(about)}")
                for name, failed in failures:
                    print(indent + line(name, failed, not is_common))


def sentence(text):
    text = cell(text, 200)
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def line(name, failed, with_about):
    first = any_of(failed)
    came_back = collections.OrderedDict()
    for peer, check in failed.items():
        came_back.setdefault(answer(check["came_back"]), []).append(f"**{peer}**")
    what = "; ".join(f"{', '.join(peers)}: {text}" for text, peers in came_back.items())
    about = f"{sentence(first['about'])} " if with_about else ""
    return f"- `{name}`: {about}Sent: {request(first['sent'])}. {what}"


def tables(checks):
    """Prints the results side by side: a row for each check that a peer did not pass, a list of the rest."""
    counted = {name: of for name, of in checks.items() if any_of(of)["level"] in LEVELS}
    differ = [name for name, of in counted.items() if verdicts(of) != ["passed"] * len(PEERS)]
    if differ:
        print("\n### Side by side: checks that a peer did not pass\n")
        print("| check | level | " + " | ".join(PEERS) + " |")
        print("|---|---|" + "---|" * len(PEERS))
    for name in differ:
        words = [WORDS.get(verdict, "?") for verdict in verdicts(counted[name])]
        print(f"| `{name}` | {any_of(counted[name])['level']} | " + " | ".join(words) + " |")
    for level in LEVELS:
        names = [f"`{n}`" for n, of in counted.items() if n not in differ and any_of(of)["level"] == level]
        if names:
            print(f"\n{level}, passed by all ({len(names)}): {', '.join(names)}.")


def verdicts(of):
    return [of[peer]["verdict"] if peer in of else None for peer in PEERS]


def information(checks):
    rows = {name: of for name, of in checks.items() if any_of(of)["level"] not in LEVELS}
    if not rows:
        return
    print("\n### For information: either way is allowed\n")
    print("| check | " + " | ".join(PEERS) + " |")
    print("|---|" + "---|" * len(PEERS))
    for name, of in rows.items():
        words = [found(of[peer]) if peer in of else "?" for peer in PEERS]
        print(f"| `{name}` | " + " | ".join(words) + " |")


def found(check):
    text = check.get("seen") or check.get("why") or check.get("came_back", "")
    text = text.removeprefix("otherwise: ")
    text = outcomes(re.sub(r"^one leg, then ", "", text))
    text = re.sub(r"^request 2 was sent.*", "it goes on", text)
    text = re.sub(r'error (-?\d+ )?".*', r"error \1", text)
    if text.startswith("{"):
        text = text.removeprefix("{").removesuffix("}")
    return cell(text, 70)


def any_of(of):
    return next(iter(of.values()))


def cell(text, length):
    """Puts a text into a line, or a cell of a table."""
    line = " ".join(text.split()).replace("|", "\\|").replace("`", "'")
    return line if len(line) <= length else line[:length].rstrip() + " .."


def code(text, length):
    return f"`{cell(text, length)}`"


def read(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# ---- what was sent


def request(sent):
    """Returns what was sent, for a person: to a server a message, to a client the answers of a server.

    Of what a client is told to do, only what is not the same in nearly all checks.
    """
    if sent.startswith("call "):
        call, _, answers = sent.partition(" <- ")
        rounds = " then ".join(map(round_of, answers.split(" then ")))
        words = re.sub(r"^call (URL|--stdio -- SERVER)( --name (ask|plain))?", "", call)
        words = re.sub(r"--claims form,url|--timeout-ms \d+", "", words).replace(f"--answers {YES}", "")
        words = " ".join(words.split())
        told = f" to {code(words, 160)}" if words else ""
        return code(rounds.removesuffix(" then complete"), 300) + told
    message, _, headers = sent.partition(" with the headers ")
    text = message_of(read(message)) or message
    return code(text, 300) + (f" with the headers {code(headers, 160)}" if headers else "")


def message_of(message):
    if not isinstance(message, dict) or not isinstance(message.get("params"), dict):
        return None
    params = dict(message["params"])
    meta = params.pop("_meta", None)
    words = [message.get("method"), params.pop("name", None) or params.pop("uri", None)]
    # States are long, and opaque.
    if isinstance(state := params.get("requestState"), str):
        params["requestState"] = cell(state, 20)
    words += [f"{name} {compact(value)}" for name, value in params.items() if value != {} or name != "arguments"]
    declared = meta.get(META) if isinstance(meta, dict) else None
    if declared != EVERYTHING:
        words.append(f"declaring {compact(declared)}")
    return " ".join(map(str, filter(None, words)))


def round_of(text):
    """Returns an answer of the scripted server, for a person."""
    message = read(text.replace("%ID%", "0"))
    result = message.get("result") if isinstance(message, dict) else None
    if not isinstance(result, dict):
        return text.replace('"jsonrpc":"2.0",', "").replace('"id":%ID%,', "")
    if result.get("resultType") == "complete" and set(result) == {"resultType", "content"}:
        return "complete"
    requests = result.get("inputRequests")
    if result.get("resultType") != "input_required" or not isinstance(requests, dict):
        return compact(result)
    words = [f"{key}: {asked(it)}" for key, it in requests.items()]
    more = {name: value for name, value in result.items() if name not in ["resultType", "inputRequests"]}
    if more.get("requestState") == STATE:
        del more["requestState"]
    words += [f"{name} {compact(value)}" for name, value in more.items()]
    return f"input_required {', '.join(words)}"


def asked(it):
    params = it.get("params") if isinstance(it, dict) else None
    if isinstance(params, dict) and params.get("mode") == "form" and "requestedSchema" in params:
        return f"form {compact(params['requestedSchema'])}"
    return compact(it)


# ---- what came back


def answer(came_back):
    """Returns what came back: of a server a response, of a client what it did."""
    cases = ""
    while match := re.match(r"(\d+) of (\d+) (answers|\(.*?\)), first (.*)", came_back, re.DOTALL):
        count, of, names, came_back = match.groups()
        if of != "1" and not cases:
            names = names if names == "answers" else f"cases: {names.strip('()')}"
            cases = f" ({count} of {of} {cell(names, 160)})"
    came_back, _, expected = came_back.rpartition(" (expected ") if " (expected " in came_back else (came_back, "", "")
    if match := re.match(r"(\d{3}) (.*)", came_back, re.DOTALL):
        status, body = match.groups()
        came_back = f"{status}, {response_of(read(body)) or body}"
    came_back = outcomes(came_back).replace(f', requestState "{STATE}"', "")
    if came_back.startswith("request "):
        came_back = came_back.removesuffix("; in the end complete")
    text = cell(came_back, 260)
    return text + (f"; expected {cell(expected.removesuffix(')'), 80)}" if expected else "") + cases


def response_of(message):
    if not isinstance(message, dict):
        return None
    if isinstance(error := message.get("error"), dict):
        id_of = "" if message.get("id") is not None else " without the id"
        return f"error {error.get('code')}{id_of} '{error.get('message')}'"
    result = message.get("result")
    if not isinstance(result, dict):
        return None
    if result.get("resultType") == "input_required":
        asks = [f"{key}: {it.get('method')}" for key, it in (result.get("inputRequests") or {}).items()]
        return f"input_required {', '.join(asks)}"
    texts = [it.get("text") for it in result.get("content") or [] if isinstance(it, dict)]
    word = "isError" if result.get("isError") else result.get("resultType", "a result")
    return f"{word} '{texts[0]}'" if texts else word


def outcomes(text):
    """Shortens the lines that a client prints."""
    text = re.sub(r'\{"outcome": ?"complete", ?"text": ?"done"\}', "complete", text)
    text = re.sub(r'\{"outcome": ?"complete", ?"text": ?("[^"]*")\}', r"complete \1", text)
    # Cut messages end where the text does.
    message = r'"message": ?("(?:[^"\\]|\\.)*"?)'
    text = re.sub(r'\{"outcome": ?"error", ?"code": ?([^,{]+), ?' + message + r"\}?", r"error \1 \2", text)
    text = re.sub(r'\{"code": ?([^,{]+), ?' + message + r'(, ?"outcome": ?"error"\}|$)', r"error \1 \2", text)
    return text.replace("error null ", "error ")


if __name__ == "__main__":
    main()
