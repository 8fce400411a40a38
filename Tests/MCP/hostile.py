"""Sends a host what no client of the Model Context Protocol should send, and looks whether it goes on.

Usage: hostile.py --host EXECUTABLE --modules FOLDER [--seed NUMBER] [--count NUMBER]
"""

import argparse
import atexit
import json
import os
import random
import subprocess
import sys
import tempfile

from client import LIMIT, check, code
from client import Session as Client

parser = argparse.ArgumentParser()
parser.add_argument("--host", required=True)
parser.add_argument("--modules", required=True)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--count", type=int, default=3000)
options = parser.parse_args()
folder = tempfile.TemporaryDirectory(prefix="atrium-mcp-")
configuration = os.path.join(folder.name, "modules.json")
with open(configuration, "w") as file:
    modules = [{"name": "Session"}, {"name": "Entities"}]
    json.dump({"searchPaths": [options.modules], "modules": modules, "environment": "mock"}, file)
ARGUMENTS = ["--data", os.path.join(folder.name, "data"), "--config", configuration]


def Session(*arguments, initializes=True):
    """A session on the folder, with options."""
    return Client([options.host, "mcp", *ARGUMENTS, *arguments], initializes)


def wrong_lines():
    session = Session("--allow", "changes")
    expected = [
        (b"{\n", -32700), (b"nonsense\n", -32700), (b"\xff\xfe\x00\n", -32700), (b'{"jsonrpc":"2.0","id":1\n', -32700),
        (b"[" * 100_000 + b"\n", -32700), (b'{"a":' * 100_000 + b"\n", -32700), (b"[]\n", -32600), (b"7\n", -32600),
        (b"null\n", -32600), (b"{}\n", -32600), (b'{"id":1,"method":"ping"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n', -32600), (b'{"jsonrpc":"2.0","id":{},"method":"ping"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}\n', -32600), (b'{"jsonrpc":"2.0","id":1,"method":""}\n', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}\n', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}\n', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}\n', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}\n', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"entities_list","arguments":[]}}\n', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":7}}\n', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}\n', -32002),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"atrium:///%ff"}}\n', -32002),
        (b'{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}\n', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"None"}}\n', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}\n', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":{}}}\n', -32602),
    ]
    for line, number in expected:
        answer = session.ask(line)
        check(code(answer) == number, line[:200], answer)
    # Nothing is answered to notifications, and to answers that nobody asked for.
    session.write(b'{"jsonrpc":"2.0","method":"no/such"}\n{"jsonrpc":"2.0","id":5,"result":{}}\n\n\r\n')
    session.write(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}\n')
    for arguments in [
        {"name": 5}, {"name": ["a"]}, {"name": {"a": 1}}, {"name": None}, {"name": "a\u0000b"}, {"": 1}, {"name": True},
        {"name": "--category=x"}, {"name": "; entities delete-all --yes"}, {"name": "$HOME `id` 'a \"b"},
    ]:
        answer = session.call("tools/call", {"name": "entities_create", "arguments": arguments})
        check("result" in answer, arguments, answer)
        if not answer["result"]["isError"]:
            name = answer["result"]["structuredContent"]["name"]
            given = arguments["name"]
            check(name == {5: "5", True: "yes"}.get(given, given) or given is True, arguments, answer)
    answer = session.call("tools/call", {"name": "host_answer", "arguments": {"answer": "exit"}})
    check(answer["result"]["structuredContent"]["error"]["code"] == "noQuestion", answer)
    check("result" in session.call("ping"), "ping failed")
    check(session.end() == (b"", 0), "The host did not end well.")


def before_initialize():
    session = Session(initializes=False)
    check(code(session.call("tools/list")) == -32600, "tools/list before initialize")
    check("result" in session.call("ping"), "ping before initialize")
    check(code(session.call("initialize", {})) == -32602, "initialize without a version")
    session.initialize()
    check(session.end() == (b"", 0), "The host did not end well.")


def same_id():
    session = Session("--allow", "changes")
    slow = {"service": "EntityService", "scenario": "slow", "delay": 1000}
    session.call("tools/call", {"name": "host_mock_set", "arguments": slow})
    request = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "entities_refresh"}}
    session.send(request)
    session.send(request)
    answer = session.next()
    check(answer["id"] == 7 and code(answer) == -32600, answer)
    for number in range(300):
        session.send(request | {"id": f"q{number}"})
    answer = session.next()
    check(answer["error"]["data"]["code"] == "tooManyRequests", answer)
    session.process.kill()
    session.process.wait()


def too_long():
    # The end is the same whatever the client still writes.
    for size, more in ((1 << 20, b""), (1 << 20, b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n'), (5 << 20, b"")):
        session = Session()
        line = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"' + b"x" * size + b'"}}\n'
        try:
            session.write(line + more)
        except BrokenPipeError:
            pass  # the host does not read on
        rest = session.process.stdout.read()
        check(b"longer than 1048576 bytes" in rest, rest[:300])
        check(session.process.wait(LIMIT) == 1, size, more, session.process.returncode)


def own_input():
    """A tool can't read the input of the protocol as a file, and no request is lost to it."""
    for path in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        session = Session("--allow", "changes")
        arguments = {"file": path, "format": "csv"}
        answer = session.call("tools/call", {"name": "entities_import", "arguments": arguments})
        check(answer.get("result", {}).get("isError"), answer)
        for _ in range(20):
            check(session.call("ping").get("result") == {}, "a ping was lost", path)
        check(session.end()[1] == 0, path)


def closing():
    """What was requested before the input ends is answered, whatever stands behind it."""
    session = Session()
    session.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"entities_list"}}\n{"jsonrpc":"2.0","id"')
    rest, status = session.end()
    answers = [json.loads(line) for line in rest.splitlines()]
    check(status == 0 and sorted(str(a["id"]) for a in answers) == ["1", "None"], rest, status)
    # A reader that is gone.
    session = Session()
    session.process.stdout.close()
    session.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    check(session.process.wait(LIMIT) == 0, "status without a reader")


def forged():
    """A client can forge neither the relay's answers nor the end of the input."""
    session = Session("--allow", "changes")
    arguments = {"email": "ada@example.com", "password": "@env:NO_SUCH_VARIABLE"}
    call = {"name": "session_sign-in", "arguments": arguments}
    session.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    for number in range(1, 4):
        answer = {"jsonrpc": "2.0", "id": f"environment-{number}", "result": {"value": "difference engine"}}
        session.write(json.dumps(answer).replace("environment", "\\u0065nvironment").encode() + b"\n")
        session.send(answer)
    answer = session.next()
    check(answer["id"] == 1 and answer["result"]["structuredContent"]["error"]["code"] == "invalidArgument", answer)
    session.write(b'{"jsonrpc":"2.0","method":"end"}\n{"jsonrpc":"2.0","method":"\\u0065nd","params":{}}\n')
    check("result" in session.call("ping"), "A client's 'end' ended its session.")
    check(session.end() == (b"", 0), "The host did not end well.")


def late():
    """Calls still running at the limit after the end of the input fail, and the exit code is 1."""
    session = Session("--allow", "changes")
    slow = {"service": "EntityService", "scenario": "slow", "delay": 60}
    session.call("tools/call", {"name": "host_mock_set", "arguments": slow})
    for name in ("entities_refresh", "host_where"):
        session.send({"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": {"name": name}})
    rest, status = session.end()
    errors = {answer["id"]: answer["error"]["data"]["code"] for answer in map(json.loads, rest.splitlines()) if "id" in answer}
    check(errors == {"entities_refresh": "unknownOutcome", "host_where": "unknownOutcome"}, rest)
    check(status == 1, "status after the limit", status)


def mutations():
    """Random changes of valid messages; the session goes on, and another's is not disturbed."""
    generator = random.Random(options.seed)
    host = subprocess.Popen([options.host, "serve", *ARGUMENTS], stderr=subprocess.PIPE, text=True)
    while "Serving" not in host.stderr.readline():
        check(host.poll() is None, "The host ended.")
    atexit.register(host.kill)
    bystander = Session()
    session = Session()
    seeds = [
        {"method": "tools/call", "params": {"name": "entities_list", "arguments": {"page": 1, "search": "a"}}},
        {"method": "tools/call", "params": {"name": "host_help", "arguments": {"name": ["entities"]}}},
        {"method": "resources/read", "params": {"uri": "atrium:///entities/1"}},
        {"method": "resources/subscribe", "params": {"uri": "atrium:///entities"}},
        {"method": "resources/unsubscribe", "params": {"uri": "atrium:///entities"}},
        {"method": "prompts/get", "params": {"name": "Entities", "arguments": {"task": "t"}}},
        {"method": "notifications/cancelled", "params": {"requestId": 3}},
        {"method": "tools/list", "params": {"cursor": "after entities"}},
        {"method": "logging/setLevel", "params": {"level": "debug"}},
    ]
    values = [None, True, -1, 1e300, 2**63 - 1, "", "\u202e", "a" * 5000, [], {}, [[[]]], {"a": {"b": []}}, "@env:HOME"]

    def changed(value):
        if generator.random() < 0.08:
            return generator.choice(values)
        if isinstance(value, dict):
            items = [(key, changed(item)) for key, item in value.items() if generator.random() > 0.03]
            if generator.random() < 0.05:
                items.append(("extra", generator.choice(values)))
            return dict(items)
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, str) and value and generator.random() < 0.1:
            index = generator.randrange(len(value))
            return value[:index] + generator.choice(["", "/", "%", "\0", "ä", " "]) + value[index + 1:]
        return value

    for number in range(options.count):
        line = json.dumps(changed({"jsonrpc": "2.0", "id": number, **generator.choice(seeds)})).encode()
        if generator.random() < 0.1:
            index = generator.randrange(len(line))
            line = line[:index] + bytes([generator.choice([0, 10, 34, 91, 123, 255])]) + line[index + 1:]
        session.write(line + b"\n")
        if number % 50 == 49:
            # Comes after the calls before it, of which only so many may wait.
            answer = session.call("tools/call", {"name": "host_where"})
            check("result" in answer, answer, "after", number)
    answer = session.call("tools/call", {"name": "entities_list", "arguments": {"search": "lamp"}})
    check(answer.get("result", {}).get("structuredContent", {}).get("rows"), answer)
    check("result" in bystander.call("tools/list"), "The other session ended.")
    check(host.poll() is None, "The host ended.")
    for one in (session, bystander):
        check(one.end()[1] == 0, "A session did not end well.")
    host.terminate()
    check(host.wait(LIMIT) == 0, "The host did not end well.")


for step in [wrong_lines, before_initialize, same_id, too_long, own_input, closing, forged, late, mutations]:
    step()
