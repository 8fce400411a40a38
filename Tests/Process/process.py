#!/usr/bin/env python3
"""What the system gives a host, and takes from it: few descriptors, threads and addresses, signals, silent files.

    Tests/Process/process.py [--host FILE] [--modules DIR] [STEP …]

Prints each step; for one that fails what was wrong. Exits 1 if one failed.
"""

import fcntl
import json
import os
import pathlib
import pty
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Serving"))
import serving  # noqa: E402: must follow the line above
from serving import MINUTE, Failed, answer, ask, expect, expect_equal, expect_healthy, hello, until  # noqa: E402

NOBODY = 65534
# A process that hangs has not ended by then.
HANGS = 20


def limited(host, name, value, *words):
    """Runs the host with one limit; returns its exit code, or 'hangs', and what it said."""
    command = ["prlimit", f"--{name}={value}", *host.command(*words)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=HANGS)
    except subprocess.TimeoutExpired:
        return "hangs", ""
    return done.returncode, done.stderr


def expect_told(host, name, values, words, enough):
    """Each value is enough, or is told with an exit code; from `enough` on it is enough."""
    rows = []
    for value in values:
        code, said = limited(host, name, value, *words)
        rows.append(f"{value}: {code}" + (f" {said.splitlines()[0]}" if said else ""))
        # Below that the loader of programs says what it can't open.
        expect(code in (0, 1, 2, 3, 127), f"--{name}={value} ends with {code}: {said}")
        expect(code == 0 or said.strip(), f"--{name}={value} says nothing")
        expect(code == 0 or value < enough, f"--{name}={value}: {code} {said}")
    damaged = [path.name for path in pathlib.Path(host.data).glob("*damaged*")] if os.path.exists(host.data) else []
    expect_equal(damaged, [], f"set aside with few {name}")
    print("  " + "\n  ".join(rows), flush=True)


def few_descriptors_are_told(host):
    expect_told(host, "nofile", range(3, 65), ("-c", "where"), 48)
    expect_told(host, "nofile", (16, 31, 47, 48, 49), ("-c", "entities create --name x; entities list"), 64)
    expect_told(host, "nofile", (8, 31, 39, 47, 48), ("--json", "-c", "where"), 48)


def few_addresses_are_told(host):
    megabytes = [*range(40, 420, 20), 600]
    expect_told(host, "as", [count * 1_000_000 for count in megabytes], ("-c", "where"), 600_000_000)


def few_threads_are_told(host):
    as_nobody(host)
    expect_told(host, "nproc", [*range(1, 13), 16, 24, 64], ("-c", "where"), 64)


def as_nobody(host):
    """The kernel counts no threads of root's."""
    if os.geteuid() != 0:
        return
    for folder in [host.folder, *host.folder.parents]:
        if folder.owner() == "root" and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    # The folder of the build may be root's alone.
    programs = host.folder / "programs"
    programs.mkdir(exist_ok=True)
    for file in [host.options.host, *host.options.modules.glob("*.so")]:
        shutil.copy(file, programs)
        (programs / file.name).chmod(0o755)
    configuration = json.loads(host.configuration.read_text())
    host.configuration.write_text(json.dumps({**configuration, "searchPaths": [str(programs)]}))
    host.configuration.chmod(0o644)
    os.chown(host.folder, NOBODY, NOBODY)
    command, folder = host.command, host.folder
    host.command = lambda *words: [
        "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "env", f"TMPDIR={folder}",
        programs / "atrium", *command(*words)[1:]]


def clients_beyond_the_threads_are_refused_by_name(host):
    as_nobody(host)
    former = os.geteuid()
    try:
        expect_refused_by_name(host, (("nproc", 40), ("nproc", 30)), NOBODY if former == 0 else former)
    finally:
        os.seteuid(former)


def clients_beyond_the_limits_are_refused_by_name(host):
    expect_refused_by_name(host, (("nofile", 64), ("nofile", 48), ("as", 400_000_000), ("as", 280_000_000)))


def expect_refused_by_name(host, limits, user=None):
    former = os.geteuid()
    for name, value in limits:
        os.seteuid(former)
        plain = host.command
        host.command = lambda *words: ["prlimit", f"--{name}={value}", *plain(*words)]
        host.start()
        host.command = plain
        # The host answers its own user only.
        os.seteuid(former if user is None else user)
        attached, refused = [], []
        for _ in range(62):
            connection = host.connect()
            message = greet(connection)
            expect(message is not None, f"--{name}={value}: a client was dropped without a word")
            (attached if "result" in message else refused).append((connection, message))
        for _, message in refused:
            expect_equal(message["error"]["data"]["code"], "tooManyClients", f"{name} {value}: {message}")
        print(f"  --{name}={value}: {len(attached)} attached, {len(refused)} refused", flush=True)
        expect(attached, f"--{name}={value}: no client at all")
        for number, (connection, _) in enumerate(attached):
            expect_served(connection, f"--{name}={value}, client {number}")
        for connection, _ in attached + refused:
            connection.close()
        until("room", lambda: serving.can_attach(host))
        expect_equal(host.stop(), 0, f"--{name}={value}: the exit code")


def greet(connection):
    try:
        return ask(connection, hello(json=True))
    except OSError:
        # It was refused before it had said anything.
        return answer(connection)


def expect_served(connection, what):
    message = ask(connection, {"jsonrpc": "2.0", "id": 9, "method": "run", "params": {"line": "where"}})
    while message.get("id") != 9:
        message = answer(connection)
        expect(message is not None, f"{what}: the connection has ended")
    expect_equal(message["result"]["status"], 0, what)


# Signals

def slow(host, delay, environment="mock"):
    host.configure(environment, Entities={"scenario": "slow", "delay": delay})


def ctrl_c_ends_a_script_by_the_signal(host):
    """So that the caller stops, too: alone, piped, attached."""
    slow(host, 30)
    for kind in ("alone", "attached"):
        if kind == "attached":
            host.start()
        for words, lines in ((("-c", "entities list"), None), ((), "entities list\n")):
            script = subprocess.Popen(
                host.command(*words), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if lines:
                script.stdin.write(lines)
                script.stdin.flush()
            time.sleep(1)
            script.send_signal(signal.SIGINT)
            _, said = script.communicate(timeout=MINUTE)
            expect_equal(script.returncode, -signal.SIGINT, f"{kind} {words}, how it ends: {said}")
    expect_healthy(host)


# Takes Ctrl-C as a pager does, and reads the terminal.
READER = """
import signal, sys
log = open("log", "a", buffering=1)
signal.signal(signal.SIGINT, lambda *_: log.write("caught\\n"))
sys.stdin.read()
log.write("ready\\n")
log.write(open("/dev/tty").readline())
"""


def ctrl_c_is_a_programs_while_it_has_the_terminal(host):
    """At a prompt, alone and attached; the prompt goes on after it."""
    (host.folder / "reader.py").write_text(READER)
    log = host.folder / "log"
    for kind in ("alone", "attached"):
        if kind == "attached":
            host.start()
        log.unlink(missing_ok=True)
        (host.folder / "out").unlink(missing_ok=True)
        child, terminal = pty.fork()
        if child == 0:
            command = [str(word) for word in host.command()]
            os.execv(command[0], command)
        said = []
        threading.Thread(target=listen, args=(terminal, said), daemon=True).start()

        def logged(text):
            return lambda: log.exists() and text in log.read_text()

        until("a prompt", lambda: b"home>" in b"".join(said))
        os.write(terminal, b"links | python3 reader.py\n")
        until(f"{kind}, a program that has read all", logged("ready"))
        os.write(terminal, b"\x03")
        until(f"{kind}, a program that is interrupted", logged("caught"))
        time.sleep(1.5)
        os.write(terminal, b"typed\n")
        until(f"{kind}, a program that reads the terminal", logged("typed"))
        os.write(terminal, b"where > out\nexit\n")
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        text = b"".join(said).decode()
        expect_equal(status, 0, f"{kind}, the exit code: {text}")
        expect((host.folder / "out").exists(), f"{kind}, no command after it: {text}")
        for word in ("ignores Ctrl-C", "cancelled", "signal 2", "error"):
            expect(word not in text, f"{kind}: {text}")


def listen(terminal, said):
    try:
        while part := os.read(terminal, 65_536):
            said.append(part)
    except OSError:  # the other end is closed
        pass


def ctrl_c_ends_a_script_whose_program_it_ends(host):
    for kind in ("alone", "attached"):
        if kind == "attached":
            host.start()
        script = subprocess.Popen(
            host.command("-c", "links | sh -c 'cat > /dev/null; touch begun; sleep 60'; entities create --name x"),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        until("a program that runs", (host.folder / "begun").exists)
        (host.folder / "begun").unlink()
        os.killpg(script.pid, signal.SIGINT)
        _, said = script.communicate(timeout=MINUTE)
        expect_equal(script.returncode, -signal.SIGINT, f"{kind}, how it ends: {said}")
        expect("failed" not in said and "signal" not in said, f"{kind}: {said}")
        listed = json.loads(host.run("--json", "-c", "entities list").stdout)["result"]
        expect_equal(listed["total"], 0, f"{kind}, made after Ctrl-C")


def a_killed_test_leaves_nothing(host):
    """Neither its host, nor programs in the background, nor its folder."""
    story = host.folder / "story.transcript"
    story.write_text('main> where\n$ sleep 600 > /dev/null 2>&1 & pwd > "$OUT/pwd"\n$ sleep 600\n')
    test = subprocess.Popen(
        [host.options.host, "test", story, "--config", host.configuration, "--define", f"OUT={host.folder}"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    until("a line that runs", lambda: (host.folder / "pwd").exists() and (host.folder / "pwd").read_text())
    folder = pathlib.Path((host.folder / "pwd").read_text().strip())
    until("its three programs", lambda: len(processes_in(folder)) >= 4)
    test.kill()
    test.wait()
    until("an end of its programs", lambda: not processes_in(folder))
    until("an end of its folder", lambda: not folder.exists())


def processes_in(folder):
    """The processes that work in a folder, or did when it still existed."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "cwd").startswith(str(folder)):
                found.append(process.name)
        except OSError:  # it has ended
            pass
    return found


def a_pager_that_cannot_run_costs_no_result(host):
    (host.folder / "plain").write_text("no program")
    for pager in ("/tmp", str(host.folder / "plain"), "nosuchpager", "less '"):
        own, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 8, 80, 0, 0))
        process = subprocess.Popen(
            host.command(), stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "PAGER": pager})
        os.close(theirs)
        os.write(own, b"links\nexit\n")
        said = []
        listen(own, said)
        os.close(own)
        expect_equal(process.wait(MINUTE), 0, f"the exit code with PAGER={pager}")
        expect(b"users/:id" in b"".join(said), f"PAGER={pager} loses the result: {b''.join(said)!r}")


def a_signal_that_is_ignored_at_start_stays_ignored(host):
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        host.start()
    finally:
        signal.signal(signal.SIGHUP, former)
    host.process.send_signal(signal.SIGHUP)
    expect_healthy(host)
    expect_healthy(host)
    expect_equal(host.stop(), 0, "the exit code after SIGTERM")


def running(host, line, **wishes):
    """A client whose line runs; returns it, its thread and what comes of the line."""
    client = host.attach(**wishes)
    outcome = []

    def run():
        try:
            outcome.append(client.run(line))
        except serving.Refused as refused:
            outcome.append(refused.data)
        except ConnectionError as problem:
            outcome.append(str(problem))

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(1)
    return client, thread, outcome


def sigterm_lets_commands_end_and_begins_no_more(host):
    slow(host, 3)
    host.start()
    client, thread, outcome = running(host, "entities list; where")
    waiting = host.attach()
    host.process.terminate()
    until("no new client", lambda: not host.socket.exists())
    try:
        waiting.run("where")
        raise Failed("a line was run after SIGTERM")
    except serving.Refused as refused:
        expect_equal(refused.data["code"], "hostEnds", "the line after SIGTERM")
    thread.join(MINUTE)
    expect_equal([line["ok"] for line in outcome[0]], [True, False], "the command that ran, and no other")
    expect_equal(outcome[0][1]["error"]["code"], "hostEnds", "the command after it")
    told = json.loads(client.lines.readline())
    expect_equal((told["method"], told["params"]["reason"]), ("end", "The host has ended."), "told")
    expect_equal(host.process.wait(MINUTE), 0, "the exit code")


def what_does_not_end_in_time_is_told_as_not_known(host):
    slow(host, 60)
    plain = host.command
    host.command = lambda *words: plain("--drain-timeout", "1", *words)
    host.start()
    host.command = plain
    client, thread, outcome = running(host, "entities create --name x")
    script = subprocess.Popen(
        host.command("-c", "entities create --name y"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    host.process.terminate()
    thread.join(MINUTE)
    expect_equal(outcome[0]["code"], "unknownOutcome", "what the program is told")
    _, said = script.communicate(timeout=MINUTE)
    expect_equal(script.returncode, 1, "the exit code of the script")
    expect("it is not known whether it was performed" in said, said)
    expect_equal(host.process.wait(MINUTE), 0, "the exit code")


def a_script_that_serves_ends_its_command_and_then_by_the_signal(host):
    slow(host, 3)
    script = subprocess.Popen(
        host.command("--json", "-c", "entities list; where"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    until("a script that serves", host.socket.exists)
    time.sleep(1)
    script.terminate()
    output, said = script.communicate(timeout=MINUTE)
    expect_equal(script.returncode, -signal.SIGTERM, f"how it ends: {said}")
    expect_equal([json.loads(line)["command"] for line in output.splitlines() if json.loads(line)["ok"]],
                 ["entities list"], "what was done")
    expect("The host is ending; the rest was not run." in said, said)


# Files that never end

def silent_files_delay_nobody_and_are_cancelled(host):
    host.start()
    lines = ["source {0}", "session sign-in --email a@b.c --password @file:{0}", "modules > {0}",
             "modules >> {0}"]
    if os.geteuid() == 0:
        lines += ["source /proc/kmsg"]
    scripts = []
    for number, line in enumerate(lines):
        # Alone and beside a host; each with a pipe of its own, as a writer is what a reader waits for.
        for kind in ("own", "served"):
            pipe = host.folder / f"pipe-{kind}-{number}"
            os.mkfifo(pipe)
            own = ["--data", str(host.folder / f"own{number}")] if kind == "own" else []
            words = [*own, "-c", line.format(pipe)]
            scripts.append((words, subprocess.Popen(
                host.command(*words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                text=True)))
    time.sleep(2)
    for words, script in scripts:
        expect(script.poll() is None, f"{words} did not wait: {script.poll()}")
    expect_healthy(host)
    for words, script in scripts:
        script.send_signal(signal.SIGINT)
        try:
            _, said = script.communicate(timeout=HANGS)
        except subprocess.TimeoutExpired:
            script.kill()
            raise Failed(f"{words}: Ctrl-C does not end it") from None
        expect_equal(script.returncode, -signal.SIGINT, f"how {words} ends: {said}")
        expect_healthy(host)
    until("an end of the scenes", lambda: len(scenes(host)) == 1)


def scenes(host):
    with host.attach() as client:
        return client.run("scenes")[0]["result"]["rows"]


def pipes_give_and_take(host):
    """What is written to a pipe, and read from one, arrives whole: alone and beside a host."""
    for kind in ("alone", "attached"):
        if kind == "attached":
            host.start()
        pipe = host.folder / f"pipe-{kind}"
        os.mkfifo(pipe)
        reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
        done = host.run("-c", f"modules > {pipe}; where")
        expect_equal(done.returncode, 0, f"{kind}: {done.stderr}")
        expect_equal(reader.communicate(timeout=MINUTE)[0], host.run("-c", "modules").stdout, f"{kind}, what arrived")
        writer = subprocess.Popen(["sh", "-c", f"sleep 0.5; echo where > {pipe}"])
        done = host.run("-c", f"source {pipe}")
        expect("Link" in done.stdout, f"{kind}: {done.stdout}{done.stderr}")
        writer.wait(MINUTE)


# The user's own

def a_huge_window_costs_no_memory(host):
    for side in (30_000, 65_535):
        own, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", side, side, 0, 0))
        process = subprocess.Popen(host.command(), stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        os.write(own, b"where\nexit\n")
        said = b""
        try:
            while part := os.read(own, 65_536):
                said += part
        except OSError:  # every other end is closed
            pass
        os.close(own)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        expect_equal(process.returncode, 0, f"the exit code in a window of {side} × {side}")
        expect(b"Environment" in said, f"no prompt: {said!r}")
        expect(usage.ru_maxrss < 100_000, f"a window of {side} × {side} takes {usage.ru_maxrss} kB")


def a_folder_that_was_deleted_is_told(host):
    host.run("-c", "where")
    gone = host.folder / "gone"
    name = f"process-{os.getpid()}"
    for served in (False, True):
        if served:
            host.start()
        for words in (["backup", name], ["new", name.title().replace("-", "")], ["run", name], ["test", name],
                      ["-c", f"modules > {name}"], ["-c", f"entities export {name}"], ["-c", f"backup {name}"],
                      ["-c", f"module add {name}"]):
            gone.mkdir()
            done = subprocess.run(
                ["sh", "-c", 'cd "$1" && rmdir "$1" && shift && exec "$@"', "sh", gone,
                 *(host.command(*words) if words[0] != "test" else [host.options.host, *words])],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=MINUTE)
            expect(done.returncode in (1, 2, 3), f"{words}: {done.returncode} {done.stdout}")
            expect(done.stderr.strip(), f"{words} says nothing")
            expect(not os.path.exists(f"/{name}") and not (host.folder / name).exists(), f"{words} wrote elsewhere")


def an_exit_code_is_the_same_however_lines_are_written(host):
    cases = {"nosuch; exit 3": 3, "nosuch\nexit 3": 3, "nosuch; exit": 1, "nosuch\nexit": 1, "nosuch; exit 0": 0,
             "nosuch\nexit 0": 0, "where; exit": 0, "where\nexit 7": 7, "nosuch\nwhere": 1}
    for served in (False, True):
        if served:
            host.start()
        for lines, wanted in cases.items():
            done = host.run("--keep-going", lines=lines + "\n")
            expect_equal(done.returncode, wanted, f"{lines!r}, {'served' if served else 'alone'}: {done.stderr}")


def results_have_the_modes_that_the_user_wants(host):
    for served in (False, True):
        if served:
            host.start()
        for mask, mode in ((0o022, 0o644), (0o077, 0o600), (0o002, 0o664)):
            done = host.run("-c", "where > made; where | cat > piped", cwd=host.folder, umask=mask)
            for name in ("made", "piped"):
                path = host.folder / name
                expect_equal(oct(path.stat().st_mode & 0o777), oct(mode), f"{name}: {done.stderr}")
                path.unlink()
    expect_equal(oct(pathlib.Path(host.data).stat().st_mode & 0o777), "0o700", "the data folder")


def a_named_scene_keeps_what_was_acknowledged(host):
    host.start()
    client = host.attach(scene="desk")
    for _ in range(5):
        client.run("open entities")
        client.run("back")
    client.run("open entities")
    host.process.kill()
    host.process.wait()
    host.start()
    until("a host that accepts", lambda: serving.can_attach(host))
    with host.attach(scene="desk") as desk:
        expect_equal(desk.run("where")[0]["result"]["link"], "entities", "the link after a kill")


def process_1_reaps_orphans(host):
    if os.geteuid() != 0:
        return
    seen = host.folder / "seen"
    script = ("where | sh -c 'sleep 0.3 & cat >/dev/null'\n" "where | sh -c 'sleep 1; cat >/dev/null'\n"
              f"where | sh -c 'cat >/dev/null; ps -e -o stat= -o comm= >{seen}'\n")
    done = subprocess.run(
        ["unshare", "--pid", "--fork", "--mount-proc", *host.command()], input=script, capture_output=True,
        text=True, timeout=MINUTE)
    expect_equal(done.returncode, 0, f"how it ends: {done.stderr}")
    processes = seen.read_text()
    expect("atrium" in processes, processes)
    expect_equal([line for line in processes.splitlines() if line.startswith("Z")], [], "orphans that are left")


serving.STEPS[:] = [
    a_huge_window_costs_no_memory, ctrl_c_is_a_programs_while_it_has_the_terminal,
    ctrl_c_ends_a_script_whose_program_it_ends, a_pager_that_cannot_run_costs_no_result,
    a_killed_test_leaves_nothing, a_folder_that_was_deleted_is_told,
    an_exit_code_is_the_same_however_lines_are_written,
    results_have_the_modes_that_the_user_wants, a_named_scene_keeps_what_was_acknowledged,
    clients_beyond_the_threads_are_refused_by_name,
    few_descriptors_are_told, few_addresses_are_told, few_threads_are_told,
    clients_beyond_the_limits_are_refused_by_name, ctrl_c_ends_a_script_by_the_signal,
    a_signal_that_is_ignored_at_start_stays_ignored, sigterm_lets_commands_end_and_begins_no_more,
    what_does_not_end_in_time_is_told_as_not_known, a_script_that_serves_ends_its_command_and_then_by_the_signal,
    silent_files_delay_nobody_and_are_cancelled, pipes_give_and_take,
    process_1_reaps_orphans,
]

if __name__ == "__main__":
    serving.main()
