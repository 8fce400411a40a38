#!/usr/bin/env python3
"""Signs in with passwords and tokens, and searches for them in every way of looking inside a host.

    Tests/Serving/secrets.py [--host FILE] [--modules DIR]

`WAYS` is the table: a command of the subject `explore`, or another way, and the lines that show all that it has. A
new command of the subject has to be in it, or in `NOT_SEARCHED` with the reason. Everything is shown while a client
signs up, in and out, in environment local and in live, where each token is known. Exits 1 with what was found.
"""

import argparse
import base64
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import urllib.parse

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "MCP"))
from client import Session  # noqa: E402: must follow the line above
from serving import RELEASE, ROOT, Failed, Host, expect, expect_equal  # noqa: E402

EMAIL, PASSWORD, WRONG = "ada@example.com", 'correct "horse" 9é', "wrong battery 7"
SIGNING = [
    f"session sign-up --email {EMAIL} --password @env:PASSWORD", "session sign-out",
    f"session sign-in --email {EMAIL} --password '{WRONG}'", f"session sign-in {EMAIL} '{WRONG}'",
    f"session sign-in --email {EMAIL} --password @env:PASSWORD", "profile", "users", "entities", "session",
    f"session sign-in --pasword '{WRONG}'", f"no-such --password '{WRONG}'",
]
WAYS = {
    "container": ["container", "container SessionService", "container SessionRepository"],
    "container graph": ["container graph", "container graph SessionRepository --dot"],
    "trace": ["trace container --detail full", "trace api --detail full", "trace"],
    "health": ["health"],
    "log": ["log --level debug --last 1000", "log --follow", "log --end", "log --search session --level debug"],
    "log level": ["log level"],
    "inspect": ["inspect"],
    "tap": ["tap"],
    "call": ["call"],
    "fault": ["fault SessionService.signOut --delay 1ms", "fault"],
    "scenes": ["scenes"],
    "hosts": ["hosts"],
    "top": ["top"],
    # Of other subjects.
    "module": [f"module {name} {form}" for name in ("Session", "UserProfile") for form in ("", "--tables")],
    "why": ["why", "why Session"],
    "events": ["events"],
    "api": ["api"],
    "history": ["history"],
    "jobs": ["jobs"],
    "mock calls": ["mock calls"],
    "help": ["help session", "help session sign-in", "doc SessionCredential"],
}
NOT_SEARCHED = {
    "swift": "shows what the user's own code asks for",
    "verify": "builds screens with made-up data, in environment mock",
}
DEEPEST, MOST = 4, 150


def tapped_services(client):
    """The services whose calls can be seen."""
    rows = client.run("call")[0]["result"]["rows"]
    names = {row["method"].split(".")[0] for row in rows if "." in row["method"]}
    expect("SessionService" in names, f"no SessionService in {names}")
    return sorted(names)


def shown(client, lines):
    """What the lines print, whether they succeed or not, and what appeared beside them."""
    found = []
    for line in lines:
        client.run(line)
        found += [client.output, *client.news]
        client.news.clear()
    return "\n".join(found)


def objects(client):
    """Each object in memory that has a path, some levels deep."""
    found, paths, depth = [], {}, 0
    rows = client.run("inspect")[0]["result"]["rows"]
    paths = {row["name"]: row["name"] for row in rows}
    level = list(paths)
    while level and depth < DEEPEST and len(paths) < MOST:
        below = []
        for path in level[:MOST - len(found)]:
            found.append(shown(client, [f"inspect {path}"]))
            for name in re.findall(r'"name":"((?:\w+|\[\d+\]))"', found[-1]):
                below.append(path + (name if name.startswith("[") else f".{name}"))
        level, depth = below, depth + 1
    expect(len(found) > 20, "too few objects")
    return "\n".join(found)


def queries(client):
    """Each table of each module, its columns together and one by one."""
    found, count = [], 0
    for module in ("Session", "UserProfile", "Entities"):
        tables = client.run(f"module {module} --tables")[0]
        for row in (tables.get("result") or {}).get("rows", []):
            for wanted in ["*", *row["columns"].split(", ")]:
                found.append(shown(client, [f'module {module} --sql "SELECT {wanted} FROM {row["table"]} a"']))
                count += 1
    expect(count > 3, "too few tables")
    return "\n".join(found)


def resources(host):
    """Every resource of an MCP client, and what it is told meanwhile."""
    told = []

    class Listener(Session):
        def receive(self, message): told.append(json.dumps(message))

    session = Listener([*map(str, host.command("mcp")), "--allow", "destroys"])
    try:
        session.call("logging/setLevel", {"level": "debug"})
        for resource in session.call("resources/list")["result"]["resources"]:
            told.append(json.dumps(session.call("resources/read", {"uri": resource["uri"]}), ensure_ascii=False))
        for tool in ("host_log", "host_tap", "host_events"):
            told.append(json.dumps(session.call("tools/call", {"name": tool, "arguments": {}}), ensure_ascii=False))
    finally:
        session.process.kill()
        session.process.wait()
    expect(any("atrium://log" in text for text in told), "no log among the resources")
    return "\n".join(told)


def secrets(host, environment):
    """The passwords and tokens of now, by name."""
    found = {"the password": PASSWORD, "a wrong password": WRONG}
    data = pathlib.Path(host.data)
    if environment == "live":
        tokens = json.loads((data / "tokens-live.json").read_text())["tokens"]
        found |= {f"an {name}": tokens[name] for name in ("accessToken", "refreshToken")}
        return found | {"a signature": tokens["accessToken"].split(".")[-1]}
    found["a token"] = json.loads((data / "session-local.json").read_text())["credential"]["token"]
    with sqlite3.connect(f"file:{data / 'Session.sqlite'}?mode=ro", uri=True) as connection:
        (hashed,), (digest,) = (
            connection.execute(f"SELECT {column}").fetchone()
            for column in ("passwordHash FROM accounts", "tokenDigest FROM sessions"))
    return found | {"a hash": hashed, "a digest": digest.hex()}


def forms(secret):
    """A secret as other notations write it."""
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield urllib.parse.quote(secret, safe="")
    yield urllib.parse.quote_plus(secret)
    yield base64.b64encode(secret.encode()).decode().rstrip("=")


def search(host, environment, server):
    host.configure(environment)
    if server:
        configuration = json.loads(host.configuration.read_text())
        configuration["modules"].append({"name": "HTTPTransport"})
        host.configuration.write_text(json.dumps(configuration | {"api": {"url": server}}))
    host.start()
    found, known = {}, {}
    with host.attach() as client:
        listed = {row["name"] for row in client.run("help explore")[0]["result"]["rows"]}
        missing = listed - set(WAYS) - set(NOT_SEARCHED)
        expect(not missing, f"{sorted(missing)} are in neither table: add lines that show all that they have")
        watching = [line for way in ("trace", "log") for line in WAYS[way][:2]]
        watching += ["log level --level debug", *(f"tap {name} --limit 1000" for name in tapped_services(client))]
        found["what is printed beside commands"] = shown(client, watching)
        for round in range(2):
            for line in SIGNING:
                found["what is printed beside commands"] += shown(client, [line])
                # Tokens of each session, by its round.
                if "@env" in line:
                    now = secrets(host, environment)
                    known |= {f"{name} of round {round}": secret for name, secret in now.items()}
        call = json.dumps({"email": EMAIL, "password": PASSWORD}, ensure_ascii=False).replace("'", "'\\''")
        found["call"] = shown(client, [f"call SessionService.signIn --credentials '{call}' --yes"])
        for way, lines in WAYS.items(): found[way] = found.get(way, "") + shown(client, lines)
        found["inspect"] += objects(client)
        found["--sql"] = queries(client)
        found["resources of MCP"] = resources(host)
        found["what is printed beside commands"] += shown(client, ["where"])
    host.stop()
    found["the log's file"] = "\n".join(
        file.read_text(errors="replace") for file in pathlib.Path(host.data).glob("*.log*"))
    found["standard error of the host"] = host.log_text()
    # A search that sees nothing finds nothing.
    for way in ("what is printed beside commands", "--sql", "inspect"):
        expect(EMAIL in found[way], f"{way} does not even have the email: {found[way][:500]}")
    for way in ("log", "the log's file", "events", "resources of MCP"): expect(found[way].strip(), f"{way} is empty")
    return [
        f"{environment}: {name} is in {way}: …{text[max(0, text.index(form) - 120):][:300]!r}"
        for way, text in found.items() for name, secret in known.items() for form in forms(secret)
        if form in text]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", type=pathlib.Path, default=RELEASE / "atrium")
    parser.add_argument("--modules", type=pathlib.Path, default=RELEASE)
    options = parser.parse_args()
    options.host, options.modules = options.host.absolute(), options.modules.absolute()
    os.environ["PASSWORD"] = PASSWORD
    server = subprocess.Popen(
        [sys.executable, ROOT / "Demos/server/server.py", "--port", "0", "--quiet"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, text=True)
    problems = []
    try:
        url = server.stdout.readline().split()[-1]
        for environment in ("local", "live"):
            with tempfile.TemporaryDirectory(prefix="atrium-") as folder:
                host = Host(options, pathlib.Path(folder))
                try:
                    problems += search(host, environment, url if environment == "live" else None)
                except Failed as failure:
                    problems.append(f"{environment}: {failure}")
                finally:
                    host.stop()
    finally:
        server.terminate()
        server.wait()
    print("\n".join(problems) or "ok")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
