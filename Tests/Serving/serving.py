#!/usr/bin/env python3
"""Uses a host that serves from other processes: many at once, slow ones, hostile ones.

    Tests/Serving/serving.py [--host FILE] [--modules DIR] [--clients N] [--commands N] [STEP …]

Prints each step; for one that fails what was wrong. Exits 1 if one failed.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import random
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / ".build" / "release"
sys.path.append(str(ROOT / "Examples" / "Clients"))
from atrium_client import Atrium, Refused, main as example_story  # noqa: E402: must follow the line above

MODULES = ("Session", "UserProfile", "Entities")
MINUTE = 60


class Failed(Exception):
    pass


def expect(condition, problem):
    if not condition:
        raise Failed(problem)


def expect_equal(found, wanted, what):
    expect(found == wanted, f"{what}: {found!r} instead of {wanted!r}")


def until(what, condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    raise Failed(f"{what}: not within {seconds} s")


class Host:
    """A host that serves a data folder of its own."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.data = str(folder / "data")
        self.socket = pathlib.Path(self.data) / "host.sock"
        self.log = folder / "log"
        self.process = None
        self.configure()

    def configure(self, environment="local", **configuration):
        modules = [{"name": name, "configuration": configuration.get(name, {})} for name in MODULES]
        self.configuration = self.folder / "modules.json"
        self.configuration.write_text(json.dumps(
            {"environment": environment, "searchPaths": [str(self.options.modules)], "modules": modules}))

    def command(self, *words):
        return [self.options.host, "--data", self.data, "--config", self.configuration, *words]

    def start(self, **settings):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command("serve"), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, **settings})
        until("a host that serves", lambda: self.process.poll() is not None or self.socket.exists())
        expect(self.process.poll() is None, f"the host ended: {self.log_text()}")
        return self

    def log_text(self):
        return self.log.read_text()

    def attach(self, **wishes):
        return Atrium(self.data, **wishes)

    def connect(self):
        """A connection that says nothing by itself."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(20)
        until("a connection", lambda: connection.connect_ex(os.path.relpath(self.socket)) == 0)
        return connection

    def run(self, *words, lines=None, **settings):
        return subprocess.run(
            self.command(*words), input=lines, capture_output=True, text=True, timeout=MINUTE, **settings)

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return None
        self.process.terminate()
        return self.process.wait(MINUTE)


def answer(connection):
    """The next message of the host; nothing if it has closed the connection."""
    text = b""
    while not text.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte:
            return None
        text += byte
    return json.loads(text)


def ask(connection, text):
    connection.sendall(text if isinstance(text, bytes) else (json.dumps(text) + "\n").encode())
    return answer(connection)


def hello(**wishes):
    return {"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {"protocol": 1, **wishes}}


def expect_healthy(host):
    """Another client is served as ever."""
    with host.attach() as client:
        expect_equal(client.run("where")[0]["result"]["link"], "home", "where")


# The main path

def the_example_client_tells_its_story(host):
    host.start()
    example_story(host.data)


def a_program_without_terminal_gets_what_a_host_of_its_own_prints(host):
    lines = "entities create --name Lamp; nosuch"
    own = host.run("--json", "-c", lines)
    host.start()
    served = host.run("--json", "-c", "entities/1 delete --yes; " + lines)
    expect_equal(served.returncode, own.returncode, "the exit code")

    def shape(text):
        return [sorted(json.loads(line).get("result", json.loads(line))) for line in text.splitlines()]
    expect_equal(shape(served.stdout)[-2:], shape(own.stdout), "the objects")


def exit_codes_are_those_of_a_host_of_its_own(host):
    cases = [(["-c", "where"], 0), (["-c", "nosuch"], 1), (["-c", "module add /nosuch.so"], 3),
             (["run", "/nosuch"], 1), (["--nosuch"], 2), (["--keep-going", "-c", "nosuch; where"], 1)]
    own = [host.run(*words).returncode for words, _ in cases]
    host.start()
    served = [host.run(*words).returncode for words, _ in cases]
    expect_equal(own, [status for _, status in cases], "alone")
    expect_equal(served, own, "served")


def a_deferred_action_is_not_done_at_any_front_end(host):
    """It needs a sign-in: each says that it is not done, and exit codes too, unless the script signs in."""
    account = "--email ada@example.com --password 'correct horse 9'"
    wait = ["open profile/edit", "session sign-out", "set firstName Grace"]
    expect_equal(host.run("-c", f"session sign-up {account}").returncode, 0, "the sign-up")
    for served in (False, True):
        if served:
            host.start()
        for words in ([], ["--json"]):
            for rest in ([], ["where"], [f"sign-in {account}"]):
                lines = [f"session sign-in {account}", *wait, *rest]
                for done in (host.run(*words, "-c", "; ".join(lines)), host.run(*words, lines="\n".join(lines) + "\n")):
                    what = f"served: {served}, {words}, {rest}: {done.stdout}{done.stderr}"
                    signs_in = bool(rest) and rest[0] != "where"
                    expect_equal(done.returncode, 0 if signs_in else 4, what)
                    expect(signs_in or "'set' was not done" in done.stdout + done.stderr, what)
                    expect(not words or '"code":"deferred"' in done.stdout, what)
    client = host.attach()
    client.run(f"session sign-in {account}; {'; '.join(wait[:2])}")
    answer = client.request("run", line=wait[2])
    expect_equal((answer["status"], answer["deferred"]), (4, True), "a line that is deferred")
    answer = client.request("run", line="where")
    expect_equal((answer["status"], answer["deferred"]), (0, False), "the line after it")
    answer = client.request("run", line=f"sign-in {account}")
    expect_equal((answer["status"], answer["deferred"]), (0, False), "the line that lets it continue")
    expect("Set the first name." in client.output, client.output)


def files_and_variables_are_those_of_the_client(host):
    host.start()
    place = host.folder / "elsewhere"
    place.mkdir()
    (place / "secret").write_text("Wolke7-Zaunkönig\n")
    (place / "script").write_text("session sign-up --email bea@example.com --password @env:SECRET\n")
    for words in (["-c", "session sign-up --email ada@example.com --password @file:secret; session sign-out"],
                  ["run", "script"]):
        done = host.run(*words, cwd=place, env={**os.environ, "SECRET": "Wolke7-Zaunkönig"})
        expect("Signed up" in done.stdout, done.stdout + done.stderr)


def results_go_to_files_and_programs_of_the_client(host):
    host.start()
    place = host.folder / "elsewhere"
    place.mkdir()
    done = host.run("-c", "where > out; where >> out; modules | cat > piped; modules --json > rows.json", cwd=place)
    expect_equal((done.returncode, done.stdout), (0, ""), f"redirected: {done.stderr}")
    once = host.run("-c", "where", cwd=place).stdout
    expect_equal((place / "out").read_text(), once * 2, "the file")
    expect_equal((place / "piped").read_text(), host.run("-c", "modules", cwd=place).stdout, "the program's output")
    expect_equal(json.loads((place / "rows.json").read_text())["command"], "modules", "the JSON line in the file")
    expect(not (host.folder / "out").exists(), "the file is in the host's folder")

    (place / "out").write_text("kept")
    for words, sign in [("nosuch > out", "nosuch"), ("where | nosuchprogram", "nosuchprogram"),
                        ("where > none/out", "none/out"), ("where | false", "false")]:
        failed = host.run("-c", words, cwd=place)
        expect_equal(failed.returncode, 1, f"the exit code of '{words}': {failed.stderr}")
        expect(sign in failed.stderr, failed.stderr)
    expect_equal((place / "out").read_text(), "kept", "the file of a command that failed")
    expect_equal(host.run("-c", "modules | true", cwd=place).returncode, 0, "a program that reads nothing")
    live = host.run("-c", "live > live", cwd=place)
    expect("can't be redirected" in live.stderr and not (place / "live").exists(), live.stderr)


WRITE_ERRORS = [
    # the line, where standard output goes, what is said, whether the entity 'x' is there afterwards
    ("modules > /dev/full", None, "'/dev/full' can't be written", False),
    ("modules --json >> /dev/full", None, "'/dev/full' can't be written", False),
    ("modules | tee /dev/full", None, "tee /dev/full", False),
    ("modules", "/dev/full", "No space left on device; the rest was not run", False),
    ("where; modules; where", "/dev/full", "No space left on device; the rest was not run", False),
    ("where; entities create --name x", "/dev/full", "No space left on device; the rest was not run", False),
    ("where; entities create --name x > made", "/dev/full", "No space left on device; the rest was not run", False),
    ("entities create --name x", "/dev/full", "'entities create --name x' succeeded. Standard output", True),
    ("entities create --name x; where", "/dev/full", "'entities create --name x' succeeded. Standard output", True),
    ("entities create --name x > /dev/full", None, "'entities create --name x' succeeded. '/dev/full'", True),
    ("repeat 3 entities create --name x > /dev/full", None, "'entities create --name x' succeeded. '/dev/full'", True),
    ("where; entities create --name x", "closed", "closed by its reader; the rest was not run", False),
]


def an_error_of_writing_is_an_error_and_a_change_is_told_as_made(host):
    """Alone, then beside a host: both say and do the same."""
    found = {"alone": [], "served": []}
    for kind, rows in found.items():
        if kind == "served":
            host.start()
        for line, output, sign, is_made in WRITE_ERRORS:
            for options in ((), ("--keep-going",), ("--json",)):
                done = run_with_output(host, output, *options, "-c", line)
                expect_equal(done.returncode, 1, f"{kind} {options}, the exit code of '{line}' to {output}: {done.stderr}")
                said = done.stderr + (done.stdout or "")
                expect_equal(said.count(sign), 1, f"{kind} {options}, '{line}' to {output}: {said}")
                rows.append(said)
                listed = json.loads(host.run("--json", "-c", "entities list").stdout)["result"]
                expect_equal(listed["total"], int(is_made), f"{kind} {options}, made by '{line}': {done.stderr}")
                if is_made:
                    host.run("-c", f"entities/{listed['rows'][0]['id']} delete --yes")
    expect_equal(found["served"], found["alone"], "what is said")


def run_with_output(host, output, *words):
    if output is None:
        return host.run(*words)
    if output == "closed":
        reading, writing = os.pipe()
        os.close(reading)
    else:
        writing = os.open(output, os.O_WRONLY)
    try:
        return subprocess.run(host.command(*words), stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE,
                              text=True, timeout=MINUTE)
    finally:
        os.close(writing)


def actions_read_and_write_what_the_client_has_at_its_ends(host):
    host.start()
    rows = "".join(f'{{"name": "Lamp {number:05}"}}\n' for number in range(20_000))
    done = host.run("-c", "entities import - --format jsonl", lines=rows)
    expect("20000" in done.stdout.replace(",", ""), done.stdout[:500] + done.stderr[:500])
    done = host.run("-c", "entities export - --format jsonl", lines="")
    names = [json.loads(line)["name"] for line in done.stdout.splitlines() if line.startswith("{")]
    expect_equal(sorted(names), [f"Lamp {number:05}" for number in range(20_000)], "what was exported")
    # Where the lines come from standard input, no action reads it.
    done = host.run(lines="entities import - --format jsonl\n")
    expect_equal(done.returncode, 1, "the exit code of an import from the lines themselves")


def scripts_have_the_language(host):
    host.start()
    (host.folder / "part").write_text("alias here where --json\n")
    script = "source part\nhere &\nwait\nrepeat 2 where \\\n  > out\nexit 7\nnosuch\n"
    done = host.run(lines=script, cwd=host.folder)
    expect_equal(done.returncode, 7, f"the exit code: {done.stderr}")
    expect_equal(json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))["command"], "where", "the alias in the background")
    expect((host.folder / "out").read_text().count("Link") == 2, (host.folder / "out").read_text())


def paths_begin_where_the_client_is(host):
    host.start()
    place = host.folder / "elsewhere"
    place.mkdir()
    (place / "lib.so").write_text("no library")
    for words, sign in [("module add lib.so", "elsewhere/lib.so"), ("source none", "none")]:
        failed = host.run("-c", words, cwd=place)
        expect_equal(failed.returncode == 0, False, words)
        expect(sign in failed.stderr, failed.stderr)
    made = host.run("-c", "backup here", cwd=place)
    expect((place / "here").exists(), made.stdout + made.stderr)


def descriptors_are_those_of_the_client(host):
    """Alone and beside a host: what bash gives a program as a file, and the input of the client."""
    (host.folder / "lines").write_text("nosuch\n")
    command = " ".join(f"'{word}'" for word in host.command())
    for kind in ("alone", "attached"):
        if kind == "attached":
            host.start()
        account = f"--email {kind}@example.com --password @file:"
        script = (
            f"atrium() {{ {command} \"$@\"; }}; atrium -c 'source /dev/stdin' < lines; atrium -c 'source '<(cat lines);"
            f"atrium -c 'session sign-up {account}/dev/stdin' <<< 'correct horse 9';"
            f"atrium -c 'session sign-in {account}'<(echo 'correct horse 9')")
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=MINUTE)
        expect_equal(done.stderr.count("link 'nosuch'"), 2, f"{kind}: {done.stderr}")
        expect(f"signed in as {kind}@" in done.stdout and f"Signed in as {kind}@" in done.stdout, f"{kind}: {done.stdout}{done.stderr}")


def messages_name_paths_as_they_were_typed(host):
    (host.folder / "bad.csv").write_text("nosuch\n")
    lines = ["entities import none.csv", "entities import bad.csv", "entities import ./bad.csv", "source none",
             "entities export made.csv", "session sign-in --email x@example.com --password @file:none"]
    said = {}
    for kind in ("alone", "attached"):
        if kind == "attached":
            host.start()
        said[kind] = [host.run("-c", line) for line in lines]
        (host.folder / "made.csv").unlink()
    for line, alone, attached in zip(lines, said["alone"], said["attached"]):
        expect_equal((attached.stdout + attached.stderr), (alone.stdout + alone.stderr), f"what '{line}' says attached")
        expect(str(host.folder) not in alone.stderr, alone.stderr)


def other_options_are_refused_with_both_values(host):
    host.start()
    refused = host.run("--env", "mock", "-c", "where")
    expect_equal(refused.returncode, 2, "the exit code")
    expect("--env mock (it has local)" in refused.stderr, refused.stderr)
    for option, present in [("--safe", "all modules"), ("--only Session", "all modules"),
                            ("--without Entities", "all modules"), ("--no-preflight", "--preflight-timeout 5"),
                            ("--preflight-timeout 3", "--preflight-timeout 5"),
                            ("--step-timeout 3", "--step-timeout 10")]:
        refused = host.run(*option.split(), "-c", "where")
        expect_equal(refused.returncode, 2, f"the exit code of {option}")
        expect(f"{option} (it has {present})" in refused.stderr, refused.stderr)
    refused = host.run("--database", "postgresql:///atrium", "-c", "where")
    expect("--database postgresql:///atrium (it has files)" in refused.stderr, refused.stderr)
    refused = host.run("--database", "postgresql://ada:Zaunkoenig@db/atrium", "-c", "where")
    expect("has a password in it" in refused.stderr and "Zaunkoenig" not in refused.stderr, refused.stderr)
    same = host.run("--env", "local", "--step-timeout", "10", "-c", "where")
    expect_equal(same.returncode, 0, f"the same environment: {same.stderr}")


def alone_waits_for_the_host_that_runs(host):
    host.start()
    waiting = subprocess.Popen(
        host.command("--alone", "-c", "scenes"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("Waiting" in waiting.stderr.readline(), "it does not say that it waits")
    expect(waiting.poll() is None, "it did not wait")
    host.stop()
    output, _ = waiting.communicate(timeout=MINUTE)
    expect("main" in output, output)


def attach_without_a_host_says_how_to_start_one(host):
    none = host.run("attach", "-c", "where")
    expect_equal(none.returncode, 1, "the exit code")
    expect("No host runs on" in none.stderr and "atrium serve" in none.stderr, none.stderr)


def every_message_follows_the_schema(host):
    import jsonschema  # the package python3-jsonschema
    schema = json.loads((ROOT / "Docs" / "protocol.schema.json").read_text())

    class Checked(Atrium):
        def send(self, **message):
            self.sent = getattr(self, "sent", {})
            self.sent[message.get("id")] = message.get("method")
            check("client", {"jsonrpc": "2.0", **message})
            super().send(**message)

        @property
        def lines(self):
            return map(self.checked, self.stream)

        @lines.setter
        def lines(self, stream):
            self.stream = stream

        def checked(self, line):
            message = json.loads(line)
            check("host", message)
            method = self.sent.get(message.get("id"))
            if "result" in message and method in schema["$defs"]["results"]:
                check(f"results/{method}", message["result"])
                seen.add(method)
            seen.add(message.get("method", "error" if "error" in message else "result"))
            return line

    def check(part, message):
        jsonschema.validate(message, {"$ref": f"#/$defs/{part}", "$defs": schema["$defs"]})

    seen = set()
    host.start()
    client = Checked(host.data, person=True, columns=100, rows=30, terminal=True, pictures=True)
    other = Checked(host.data, person=True)
    client.secrets["password"] = "Wolke7-Zaunkönig"
    client.run("session sign-up --email ada@example.com; where; nosuch")
    other.run("session sign-in --email ada@example.com --password @env:NOSUCH")
    client.request("complete", line="ent", cursor=3)
    client.request("resize", columns=90, rows=20, promptRows=2, redraw=True)
    client.request("interrupt")
    try:
        client.request("hello", protocol=1)
    except Refused:
        pass
    client.request("close")
    host.stop()
    other.checked(other.stream.readline())
    missing = {"hello", "run", "complete", "output", "above", "history", "secret", "environment", "end", "error"} - seen
    expect(not missing, f"not seen: {missing}")


# Scenes

def a_named_scene_keeps_its_stack(host):
    host.start()
    with host.attach(scene="desk") as desk:
        desk.run("open entities")
    host.stop()
    host.start()
    with host.attach() as other:
        rows = other.run("scenes")[0]["result"]["rows"]
        expect([row for row in rows if row["name"] == "desk" and row["link"] == "entities"], f"kept: {rows}")
    with host.attach(scene="desk") as desk:
        expect_equal(desk.run("where")[0]["result"]["link"], "entities", "the link after a restart")
    with host.attach(scene="other") as other:
        until("the end of the scene", lambda: not [
            row for row in other.run("scenes")[0]["result"]["rows"] if row["name"] == "desk" and row["client"]])
        expect_equal(other.run("where")[0]["result"]["link"], "home", "the link of another scene")
    with host.attach(scene="desk") as desk:
        desk.run("root")
    with host.attach() as other:
        until("the end of the empty scene", lambda: "desk" not in [
            row["name"] for row in other.run("scenes")[0]["result"]["rows"]])


def a_sign_out_is_told_and_asks_the_guards_of_other_scenes(host):
    host.start()
    with host.attach(person=True) as first, host.attach(person=True) as second:
        first.secrets["password"] = "Wolke7-Zaunkönig"
        first.run("session sign-up --email ada@example.com")
        expect_equal(second.run("open profile; where")[-1]["result"]["link"], "profile", "a signed-in person")
        first.run("session sign-out")
        where = second.run("where")[0]["result"]
        until("another screen", lambda: second.run("where")[0]["result"]["link"] != "profile")
        expect_equal(where["person"], "guest", "the person")
        expect(any("signed out" in line for line in second.news), f"told: {second.news}")
        expect(not any("signed out" in line for line in first.news), f"told itself: {first.news}")


def a_secret_is_asked_of_its_own_scene(host):
    host.start()
    with host.attach(person=True) as first, host.attach(person=True) as second:
        asked = []
        second.secrets = type("Secrets", (dict,), {"get": lambda _, name: asked.append(name)})()
        first.secrets["password"] = "Wolke7-Zaunkönig"
        first.run("session sign-up --email ada@example.com")
        second.run("where")
        expect_equal(asked, [], "asked of the other scene")
    expect("Wolke7" not in host.log_text(), "the secret is in the log")


def a_removed_module_leaves_every_scene(host):
    host.start()
    with host.attach(person=True) as first, host.attach(person=True) as second:
        second.run("open entities")
        first.run("module remove Entities")
        expect(second.run("entities list")[0]["ok"] is False, "the action is still there")
        expect(any("Entities" in line for line in second.news), f"told: {second.news}")
        library = pathlib.Path(host.options.modules) / "libEntities.so"
        expect(first.run(f"module add '{library}'")[0]["ok"], "not added again")
        expect(second.run("entities list")[0]["ok"], "the new module's action is missing")


def a_slow_command_delays_nobody(host):
    host.configure("mock", Entities={"scenario": "slow", "delay": 3})
    host.start()
    with host.attach() as slow, host.attach() as other:
        thread = threading.Thread(target=lambda: slow.run("entities list"))
        thread.start()
        time.sleep(0.3)
        for _ in range(200):
            other.run("where")
        expect(thread.is_alive(), "the slow command was not slow")
        thread.join()


def a_command_is_cancelled(host):
    host.configure("mock", Entities={"scenario": "slow", "delay": 30})
    host.start()
    with host.attach() as client:
        threading.Timer(0.5, lambda: client.send(method="cancel", params={})).start()
        start = time.monotonic()
        reply = client.run("entities list")[0]
        expect_equal(reply["error"]["code"], "cancelled", "the error")
        expect(time.monotonic() - start < 20, "it ran to its end")


def lines_that_a_cancel_drops_are_answered(host):
    host.configure("mock", Entities={"scenario": "slow", "delay": 30})
    host.start()
    with host.attach() as client:
        for number in (71, 72, 73):
            client.send(id=number, method="run", params={"line": "entities list"})
        time.sleep(0.3)
        client.send(method="cancel", params={"all": True})
        answers = {}
        for line in client.lines:
            message = json.loads(line)
            if message.get("id") in (71, 72, 73):
                answers[message["id"]] = message.get("error", {}).get("data", {}).get("code")
            if len(answers) == 3:
                break
        expect_equal([answers[72], answers[73]], ["cancelled", "cancelled"], "the answers to the lines that waited")
        expect_equal(answers[71], None, "the answer to the line that ran, whose event has the error")


def every_answer_is_right_and_in_order(host):
    """Many clients at once; each knows from the answers that they are its own."""
    host.start()
    problems = []

    def talk(number):
        try:
            with host.attach() as client:
                for index in range(host.options.commands):
                    name = f"c{number}n{index}"
                    if index % 25 == 0:
                        created = client.run(f"entities create --name {name}")[0]["result"]
                        expect_equal(created["name"], name, "created")
                    else:
                        error = client.run(name)[0]["error"]
                        expect(f"'{name}'" in error["message"], f"{name}: {error['message']}")
        except Exception as problem:
            problems.append(f"client {number}: {problem!r}")

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(host.options.clients)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not problems, f"{len(problems)} clients: {problems[:3]}")
    count = host.options.clients * host.options.commands
    print(f"  {count} commands in {time.monotonic() - start:.1f} s", flush=True)
    with host.attach() as client:
        total = client.run("entities list")[0]["result"]["total"]
    expect_equal(total, host.options.clients * -(-host.options.commands // 25), "the entities")


# The end

def sigterm_ends_in_order(host):
    host.start()
    with host.attach(person=True) as client:
        expect_equal(host.stop(), 0, "the exit code")
        told = json.loads(client.lines.readline())
        expect_equal((told["method"], told["params"]["reason"]), ("end", "The host has ended."), "told")
        expect_equal(client.lines.readline(), "", "after the end")
    expect(not host.socket.exists(), "the socket is still there")


def a_script_whose_host_is_killed_says_so(host):
    host.configure("mock", Entities={"scenario": "slow", "delay": 30})
    host.start()
    script = subprocess.Popen(
        host.command("-c", "entities list"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    host.process.kill()
    _, errors = script.communicate(timeout=MINUTE)
    expect_equal(script.returncode, 1, "the exit code")
    expect("it is not known whether it was performed" in errors and "hint:" in errors, errors)
    host.process.wait()
    again = host.run("-c", "where")
    expect_equal(again.returncode, 0, f"the next host: {again.stderr}")


def a_service_manager_is_told(host):
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.settimeout(20)
    manager.bind(str(host.folder / "notify"))
    host.start(NOTIFY_SOCKET=str(host.folder / "notify"), WATCHDOG_USEC="400000")
    messages = []
    for _ in range(4):
        messages += manager.recv(1000).decode().split("\n")
    expect_equal(messages[:2], ["READY=1", f"MAINPID={host.process.pid}"], "first")
    expect_equal(messages[2:], ["WATCHDOG=1"] * 3, "the watchdog")
    host.process.terminate()
    while "STOPPING=1" not in messages:
        messages += manager.recv(1000).decode().split("\n")
    expect_equal(host.process.wait(MINUTE), 0, "the exit code")


# Bad input

def the_socket_is_the_users_alone(host):
    host.start()
    expect_equal(stat.S_IMODE(host.socket.stat().st_mode), 0o600, "the mode of the socket")
    expect_equal(stat.S_IMODE(host.socket.parent.stat().st_mode), 0o700, "the mode of the folder")
    if os.geteuid() != 0:
        return
    # Even one who gets as far as the socket is known by the kernel.
    host.socket.parent.chmod(0o755)
    host.socket.chmod(0o666)
    for folder in [host.socket.parent, *host.socket.parent.parents]:
        if folder.owner() == "root" and not folder.stat().st_mode & stat.S_IXOTH:
            folder.chmod(folder.stat().st_mode | stat.S_IXOTH)
    child = os.fork()
    if child == 0:
        os.setgid(65534)
        os.setuid(65534)
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(20)
        connection.connect(str(host.socket))
        os._exit(0 if ask_quietly(connection) is None else 7)
    _, status = os.waitpid(child, 0)
    expect_equal(os.waitstatus_to_exitcode(status), 0, "another user was answered, or failed")


def ask_quietly(connection):
    try:
        return ask(connection, hello())
    except OSError:
        return None


def a_long_path_can_be_served(host):
    host.data = str(host.folder / ("long" * 40))
    host.socket = pathlib.Path(host.data) / "host.sock"
    host.start()
    expect_equal(host.run("-c", "where").returncode, 0, "the exit code")


def a_client_that_only_sends_is_not_read_any_further(host):
    host.start()
    with host.connect() as connection:
        ask(connection, hello(json=True))
        connection.settimeout(1)
        request = (json.dumps({"jsonrpc": "2.0", "id": 1, "method": "run", "params": {"line": "help"}}) + "\n").encode()
        sent = 0
        try:
            while sent < 200_000_000:
                sent += connection.send(request * 100)
        except TimeoutError:
            pass
        expect(sent < 200_000_000, "everything was read")
        expect_healthy(host)
        memory = int((pathlib.Path("/proc") / str(host.process.pid) / "statm").read_text().split()[1]) * 4096
        expect(memory < 400 << 20, f"the host has {memory >> 20} MB")
        until("its end", lambda: "was dropped: It has read nothing" in host.log_text(), 60)


def a_connection_that_says_nothing_is_ended(host):
    host.start()
    with host.connect() as connection, host.connect() as half:
        half.sendall(b'{"jsonrpc"')
        for quiet in (connection, half):
            message = answer(quiet)
            expect("hello" in message["error"]["message"], str(message))
            expect(answer(quiet) is None, "the connection is still open")
    expect_healthy(host)


def one_more_than_64_is_refused(host):
    host.start()
    clients = [host.attach() for _ in range(64)]
    with host.connect() as connection:
        message = answer(connection)
        expect_equal(message["error"]["data"]["code"], "tooManyClients", "the code")
    for words in (["-c", "where"], ["attach"], ["attach", "-c", "where"], ["mcp"], ["--json", "-c", "where"]):
        before = os.times()
        refused = host.run(*words, lines="where\n")
        expect_equal(refused.returncode, 4, f"the exit code of {words}: {refused.stderr}")
        expect("64 clients are attached already" in refused.stderr, f"{words}: {refused.stderr}")
        after = os.times()
        expect(after.children_user + after.children_system - before.children_user - before.children_system < 2,
               f"{words} spins")
    for client in clients:
        client.__exit__()
    until("room", lambda: can_attach(host))


def can_attach(host):
    try:
        expect_healthy(host)
        return True
    except (Refused, ConnectionError, OSError):
        return False


def random_bytes_cost_nothing(host):
    host.start()
    source = random.Random(4)
    for _ in range(200):
        with host.connect() as connection:
            try:
                connection.sendall(source.randbytes(source.randrange(1, 20_000)))
                if source.random() < 0.5:
                    connection.shutdown(socket.SHUT_WR)
            except ConnectionError:
                pass  # refused meanwhile
    until("room", lambda: can_attach(host))


def clients_that_are_killed_leave_nothing(host):
    host.configure("mock", Entities={"scenario": "slow", "delay": 30})
    host.start()
    for _ in range(10):
        script = subprocess.Popen(
            host.command("-c", "entities list"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.1)
        script.send_signal(signal.SIGKILL)
        script.wait()
    with host.attach() as client:
        until("an end of the scenes", lambda: len(client.run("scenes")[0]["result"]["rows"]) == 1)


HELPERS = (expect_healthy, can_attach)
STEPS = [
    value for value in list(globals().values())
    if getattr(value, "__module__", "") == __name__ and hasattr(value, "__code__") and value not in HELPERS
    and value.__code__.co_varnames[:value.__code__.co_argcount] == ("host",)
]


def perform(step, host):
    start = time.monotonic()
    try:
        step(host)
    except Exception as problem:
        text = str(problem) if isinstance(problem, Failed) else traceback.format_exc()
        log = host.log_text() if host.log.exists() else ""
        print(f"FAILED {step.__name__}: {text}\n--- log\n{log}---", flush=True)
        return False
    finally:
        if host.process is not None and host.process.poll() is None:
            host.process.kill()
            host.process.wait()
    print(f"ok {step.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
    return True


LONG = ("a_client_that_only_sends_is_not_read_any_further", "a_connection_that_says_nothing_is_ended")


def perform_in(step, options, folder):
    place = pathlib.Path(folder) / step.__name__
    place.mkdir()
    os.chdir(place)
    return perform(step, Host(options, place))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", type=pathlib.Path, default=RELEASE / "atrium")
    parser.add_argument("--modules", type=pathlib.Path, default=RELEASE)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--commands", type=int, default=50)
    parser.add_argument("--at-once", type=int, default=1, metavar="N", help="so many steps at a time")
    parser.add_argument("steps", nargs="*", metavar="STEP")
    options = parser.parse_args()
    options.host, options.modules = options.host.absolute(), options.modules.absolute()
    chosen = [step for step in STEPS if not options.steps or step.__name__ in options.steps]
    # Those that wait for a time limit begin first.
    chosen.sort(key=lambda step: step.__name__ not in LONG)
    with tempfile.TemporaryDirectory(prefix="atrium-") as folder:
        # Processes, since each step has a current folder.
        with multiprocessing.get_context("fork").Pool(options.at_once) as pool:
            passed = pool.starmap(perform_in, [(step, options, folder) for step in chosen], chunksize=1)
            # Leaving the block would terminate the workers, and wait forever if SIGTERM is blocked.
            pool.close()
            pool.join()
    failed = passed.count(False)
    print(f"{len(chosen) - failed} of {len(chosen)} steps passed", flush=True)
    sys.exit(1 if failed or not chosen else 0)


if __name__ == "__main__":
    main()
