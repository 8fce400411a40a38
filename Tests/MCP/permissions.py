"""Sends every tool, command and request to sessions of every permission, and compares the host's state.

Usage: permissions.py --host EXECUTABLE --modules FOLDER [--every N]

Nothing above a session's permission happens, whichever tool, value, link, answer or request leads there; what is
refused names the permission and the option that gives it. Each refused call is also made where it is allowed, and
then changes the state: a comparison that sees nothing fails. --every N tries each N-th text in a place, other ones in
the next place; without it, the last line has the number of calls.
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys
import zlib

from client import check, code
from known_host import ACCOUNT, FORMS, ORDER, Host, check_refusal, differences, error_of, plain, shaped

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Examples/Clients"))
from atrium_client import Atrium, Refused  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--host", required=True)
parser.add_argument("--modules", required=True)
parser.add_argument("--every", type=int, default=1)
options = parser.parse_args()
# Arguments that take some odd texts only.
SKIPPED = {("host_backup", "file"): "writes 3 MB each time"}
# Not in the table, as they can do nothing above a permission: texts that name commands which read, texts for numbers
# and choices, more than odd texts for tools that are refused by name. Not reachable: a deferred action that destroys
# (none is deferred), and one that waits below its permission (it is refused first).
SOME = 8
HOME = "entities/2"
DESTROY = "entities delete-all --yes"
ODD = [
    "", "--yes", " ", "'", "2", f"; {DESTROY}", f"a\n{DESTROY}", "''", '"', "--", "-", "--help", "&", "> x", "| cat",
    "$_", f"\n{DESTROY}", f"'\n{DESTROY}", f"$({DESTROY})", f"repeat 2 {DESTROY}", "@env:PW", "@file:/dev/null",
    "module remove Entities", "atrium:///entities/2?delete", "entities#delete-all", "entities/2//delete",
]


def some(values, place):
    """Each N-th value; the place decides where to begin, so that each value is tried in some places."""
    return values[zlib.crc32(place.encode()) % options.every::options.every]


def calls(tool, texts):
    """The screens and arguments for a tool: each text as each argument that takes words, the others plain."""
    yield None, plain(tool)
    for name, description in tool["inputSchema"].get("properties", {}).items():
        takes_words = "string" in description["type"] or description["type"] == "array"
        takes_words = takes_words and "enum" not in description and (tool["name"], name) not in SKIPPED
        tried = texts if takes_words else [(None, text) for text in ODD[:SOME]]
        for screen, text in some(tried, f"{tool['name']} {name}"):
            yield screen, plain(tool) | {name: shaped(description, text)}


def refused_calls(tool):
    """The arguments for a tool that is refused by its name: each odd text as all of them."""
    yield None, plain(tool)
    for text in some(ODD, tool["name"]):
        yield None, {name: shaped(one, text) for name, one in tool["inputSchema"].get("properties", {}).items()}


def every_tool(host, session, allow, texts):
    """Each allowed tool with each text on its screen, each refused one with the odd ones; the number of calls."""
    listed = session.tools()
    allowed = ORDER[: ORDER.index(allow) + 1]
    may = {name for name, tool in host.tools.items() if tool["effect"] in allowed} | FORMS
    check(set(listed) == may, allow, "lists others", may ^ set(listed))
    files, values = host.state()
    count = 0
    for name, tool in host.tools.items():
        is_allowed = tool["effect"] in allowed
        current = None
        for screen, arguments in calls(tool, texts) if is_allowed else refused_calls(tool):
            if is_allowed and (screen or HOME) != current:
                session.open(screen or HOME)
            current = (screen or HOME) if tool["annotations"]["idempotentHint"] else None
            answer = session.call("tools/call", {"name": name, "arguments": arguments})
            count += 1
            if not is_allowed and name not in FORMS:
                check_refusal(answer, name, tool["effect"], allow)
            if tool["effect"] != "changes" or not is_allowed:
                check(host.files() == files, allow, name, arguments, "changed a file", answer)
        if tool["effect"] == "changes" and is_allowed:
            files, values = still_there(host, values, name)
        else:
            now = host.values()
            check(now == values, allow, name, "changed a value", *differences(values, now))
    return count


def still_there(host, values, name):
    """The state after a tool that may change: no entity, account, module or kept scene is destroyed."""
    host.reader.structured("session_sign-in", **ACCOUNT)
    now = host.state()
    if name == "host_snapshot":
        # What came after the snapshot is in 'before-reset'.
        return now

    def names(values):
        rows = values[0]["entities"]["rows"], values[0]["users"]["rows"], values[1][0]["rows"], values[2]
        return {(number, row.get("id", row["name"])) for number, part in enumerate(rows) for row in part}

    check(names(values) <= names(now[1]), name, "destroyed", names(values) - names(now[1]))
    return now


def requests(text):
    """Every other request with a text in each place; true for those that may succeed."""
    prompt = {"ref": {"type": "ref/prompt", "name": "Entities"}, "argument": {"name": "task", "value": text}}
    yield True, "resources/read", {"uri": f"atrium:///{text}"}
    yield True, "resources/subscribe", {"uri": f"atrium:///{text}"}
    yield True, "prompts/get", {"name": "Entities", "arguments": {"task": text}}
    yield False, "resources/read", {"uri": text.removeprefix("atrium://")}
    yield False, "prompts/get", {"name": text}
    yield False, "completion/complete", prompt
    yield False, "logging/setLevel", {"level": text}
    yield False, "tools/list", {"cursor": text}
    yield False, "tools/call", {"name": text, "arguments": {"yes": True}}
    yield False, "tools/call", {"name": "host_where", "arguments": {text: True}}
    yield False, "initialize", {"protocolVersion": "2025-06-18", "allow": "destroys", "clientInfo": {"name": text}}
    yield False, text, {}


def every_request(host, session, allow, texts):
    """Requests that are no calls of tools, with each text."""
    files, values = host.state()
    for screen, text in texts:
        session.open(screen or HOME)
        for may_succeed, method, parameters in some(list(requests(text)), text):
            answer = session.call(method, parameters)
            check(may_succeed or code(answer) or error_of(answer), method, parameters, answer)
            check(host.files() == files, allow, method, parameters, "changed a file", answer)
    check(host.values() == values, allow, "a request changed", *differences(values, host.values()))


def proofs():
    """Calls that change the state where they are allowed; every tool that destroys is among them."""
    create = ("changes", "entities_create", {"name": "Proof"})
    library = os.path.join(options.modules, "libEntities.so")
    return [
        create, ("changes", "entities_id_update", {"id": 2, "name": "Proof"}),
        ("changes", "entities_id_set", {"id": 2, "field": "notes", "value": "Proof"}),
        ("changes", "entities_export", {"file": "proof.csv"}), ("changes", "entities_import", {"file": "proof.csv"}),
        ("changes", "host_backup", {"file": "proof.atrium"}),
        ("changes", "host_snapshot", {"step": "save", "name": "proof"}),
        ("changes", "host_snapshot", {"step": "reset", "name": "proof"}),
        ("destroys", "host_snapshot", {"step": "delete", "name": "proof"}),
        ("changes", "host_trace", {"what": "container", "detail": "on"}), ("changes", "profile_edit_submit", {"firstName": "Zoe"}),
        ("changes", "host_module_remove", {"name": ["Entities"]}), ("changes", "host_module_add", {"path": [library]}),
        ("changes", "session_sign-out", {}), ("changes", "session_sign-in", ACCOUNT),
        ("changes", "host_fault", {"service": "SessionService.events", "delay": 0.001}),
        ("destroys", "host_call", {"method": "EntityService.delete", "arguments": '{"id": 3}'}),
        ("destroys", "entities_id_delete", {"id": 2}), ("destroys", "entities_delete", {"ids": ["1"]}),
        ("destroys", "entities_delete-all", {}), create,
        ("destroys", "session_sign-out-everywhere", {}), ("changes", "session_sign-in", ACCOUNT),
        ("destroys", "session_reset", {}),
    ]


ANSWERS = [{"error": {"code": 1, "message": "yes"}}, {"result": {"answer": "yes"}}, {"result": {"action": "yes"}}] + [
    {"result": {"action": action, "content": content}}
    for action, content in [("cancel", {"answer": "yes"}), ("decline", {"answer": "yes"}), ("", {"answer": "yes"})]
    + [("accept", {"answer": text}) for text in ["no", "", "YES", "yes ", "--yes", "yes; exit", DESTROY, ["yes"], True]]
    + [("accept", content) for content in [None, [], {}, {"yes": "yes"}, {"answer": {"answer": "yes"}}]]
]
YES = {"result": {"action": "accept", "content": {"answer": "yes"}}}


def refused_below_done_where_allowed(host):
    """Each proof is refused below its permission, also on other ways, asks before it destroys, and is then done."""
    sessions = {allow: host.session(allow) for allow in ("reads", "changes")}
    sessions["destroys"] = host.session("destroys", capabilities={"elicitation": {}})
    known = {name for name, tool in host.tools.items() if tool["effect"] == "destroys"}
    check(known == {name for effect, name, _ in proofs() if effect == "destroys"}, "No proof of", known)
    for effect, name, arguments in proofs():
        before = host.state()
        for allow in ORDER[: ORDER.index(effect)]:
            if allow in sessions:
                refused(sessions[allow], allow, effect, {"name": name, "arguments": arguments})
        session = sessions[effect]
        for session.answer in ANSWERS if effect == "destroys" else []:
            asked = session.asked
            answer = session.call("tools/call", {"name": name, "arguments": arguments})
            check(session.asked == asked + 1, name, "does not ask", answer)
            check(host.files() == before[0], name, session.answer, "confirmed", answer)
        for more in ["yes", "--yes", "force", ""] if effect == "destroys" else []:
            answer = session.call("tools/call", {"name": name, "arguments": arguments | {more: True}})
            check(error_of(answer), name, more, answer)
        now = host.state()
        check(now == before, name, "was done:", *differences(before, now))
        session.answer = YES
        answer = session.call("tools/call", {"name": name, "arguments": arguments})
        check(not error_of(answer) and host.state() != before, name, "was not done where it is allowed:", answer)


def refused(session, allow, effect, call):
    """A call is refused as a request, does nothing as a notification, and an answer to no question allows nothing."""
    wish = {"allow": "destroys", "permission": "destroys", "yes": True}
    session.send({"jsonrpc": "2.0", "method": "tools/call", "params": call})
    for number in range(1, 4):
        session.send({"jsonrpc": "2.0", "id": f"atrium-{number}"} | YES)
    for parameters in [call, call | wish, call | {"_meta": wish}]:
        check_refusal(session.call("tools/call", parameters), call["name"], effect, allow)


def deferred(host):
    """What a guard defers is done once after a sign-in, by a session that may; one that may not keeps nothing."""
    reads, changes = host.session("reads"), host.session("changes")
    submit = {"name": "profile_edit_submit", "arguments": {"firstName": "Zoe"}}
    for session in (reads, changes):
        session.open("profile/edit")
    changes.structured("session_sign-out")
    before = host.state()
    refused(reads, "reads", "changes", submit)
    result = changes.call("tools/call", submit)["result"]
    error = result["structuredContent"].get("error", {})
    check(result["isError"] and error["code"] == "deferred" and error["details"]["title"] == "Sign in", result)
    check(host.state() == before, "A guarded action was done.", *differences(before, host.state()))
    host.reader.structured("session_sign-in", **ACCOUNT)
    before = host.state()
    for link in ("profile", "profile/edit"):
        reads.open(link)
        reads.structured("host_where")
    check(host.state() == before, "A session that may read did more.", *differences(before, host.state()))
    changes.structured("session_sign-in_sign-in", **ACCOUNT)
    screens = host.values()[0]
    done = screens["profile"]["firstName"], len(screens["profile/notifications"]["rows"])
    check(done == ("Zoe", 2), "The deferred action was not done once.", done)


def unconfirmed(host):
    """A line that destroys is not confirmed by a value, whatever it is; '--yes' as an option confirms it."""
    client = Atrium(host.data)
    client.run("let n = entities/1")
    before = host.state()
    forms = ["{}", "{} '--yes'", '{} "--yes"', "{} \\--yes", "{} -'-yes'", "{} --y\\es"]
    forms += ["{} -- --yes", "{} $n.name", "{} '' --no", "{} --yes=no"]
    forms += ["repeat 2 {}", "time {}", "let x = {}", "{} &", "{}\n--yes", "'{} --yes'", "assert {} --yes"]
    lines = ["entities delete 3", "entities/4 delete", "entities delete-all", "session reset"]
    for form in forms:
        for line in [*lines, "session sign-out-everywhere"]:
            try:
                client.run(form.replace("{}", line))
            except Refused:
                pass
            now = host.state()
            check(now == before, form, line, "was done:", client.output, *differences(before, now))
    for line in lines:
        before = host.state()
        check(client.run(line + " --yes")[0]["ok"] and host.state() != before, line, "was not done.")


def socket(host):
    """Only the three words are permissions in 'hello', and a session of MCP is no scene for lines."""
    before = host.state()
    for wrong in ["", "all", "Destroys", "destroys ", "reads,destroys", 7, True, ["destroys"], {"destroys": 1}, None]:
        try:
            client = Atrium(host.data, mode="mcp", allow=wrong)
        except Refused:
            continue
        client.request("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "c"})
        for effect, name, arguments in proofs():
            answer = {"result": client.request("tools/call", name=name, arguments=arguments)}
            check_refusal(answer, name, effect, "reads")
        for method, parameters in [
            ("run", {"line": DESTROY}), ("hello", {"protocol": 1, "mode": "mcp", "allow": "destroys"}), ("close", {}),
            ("hello", {"protocol": 1, "yes": True}), ("complete", {"line": DESTROY, "cursor": 3}), ("cancel", {}),
        ]:
            try:
                sys.exit(f"'{method}' was answered: {client.request(method, **parameters)}")
            except Refused:
                pass
    check(host.state() == before, "The socket changed", *differences(before, host.state()))


def table(allow, least, signed_in):
    """Every tool and request at a permission, in the process of the host itself."""
    with Host(options.host, options.modules, allow) as host:
        texts = host.subjects(least, guarded=not signed_in)
        odd = [(None, text) for text in (ODD if signed_in else ODD[:SOME])]
        texts = odd + sorted(texts, key=lambda pair: pair[0] or "")
        if not signed_in:
            host.reader.structured("session_sign-out")
        host.state()
        every_request(host, host.own, allow, texts)
        count = every_tool(host, host.own, allow, texts)
        check(count > 1000 / options.every, "Only", count, "calls were made.")
        return count


def on_host(step):
    """A step on a host that serves."""
    with Host(options.host, options.modules) as host:
        host.state()
        step(host)


def main():
    """Two parts at a time, as each uses one processor."""
    rows = [("reads", "changes", True), ("changes", "destroys", True), ("reads", "changes", False)]
    steps = [socket, unconfirmed, deferred, refused_below_done_where_allowed]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        parts = [pool.submit(table, *row) for row in rows] + [pool.submit(on_host, step) for step in steps]
        counts = [part.result() for part in parts]
    if options.every == 1:
        print(f"{sum(filter(None, counts)):,} calls of tools")


main()
