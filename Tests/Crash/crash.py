#!/usr/bin/env python3
"""Crashes a small host in every way and checks the record; then tests its supervisor in a pseudoterminal.

    Tests/Crash/crash.py --host FILE --library FILE [--figures]

The host is built from Tests/Crash/Host, the library from Tests/Crash/Wrecker. Prints the first failure and exits
with 1. With --figures it prints how long a restart takes.
"""

import argparse
import os
import pathlib
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import termios
import time

PATIENCE = 20
"""The timeout of every expectation, in seconds."""

MODULE = "Module 'Wrecker' (generation 2)"
TRAP = "crashed: SIGILL (a trap, as after 'Fatal error')"
OVERFLOW = "crashed: SIGSEGV (the stack overflowed, as by endless recursion)"
WAYS = {
    "trap": (-signal.SIGILL, f"{MODULE} {TRAP}, while 'trap' ran. Function: Wreck.trap"),
    "fatal": (-signal.SIGILL, f"{MODULE} {TRAP}, while 'fatal' ran. Function: Wreck.happen"),
    "null": (-signal.SIGSEGV,
             f"{MODULE} crashed: SIGSEGV (an invalid memory access), while 'null' ran. Function: Wreck.null"),
    "jump": (-signal.SIGSEGV,
             f"{MODULE} crashed: SIGSEGV (an invalid memory access), while 'jump' ran. Function: Wreck.jump"),
    "overflow": (-signal.SIGSEGV,
                 f"{MODULE} {OVERFLOW}, while 'overflow' ran. Function: Wreck.overflow"),
    "abort": (-signal.SIGABRT,
              f"{MODULE} crashed: SIGABRT (a call of abort), while 'abort' ran. Function: Wreck.callAbort"),
    "qsort": (-signal.SIGILL, f"{MODULE} {TRAP}, while 'qsort' ran. Function: Wreck.trap"),
    "later": (-signal.SIGILL, f"{MODULE} {TRAP}, while 'later' ran. Function: Wreck.trap"),
    "exit": (70, f"{MODULE} ended the process with exit(0), while 'exit' ran. Function: Wreck.callExit"),
    "hang": (-signal.SIGABRT,
             f"{MODULE} did not respond and was stopped, while 'hang' ran. Function: Wreck.hang"),
    "together": (-signal.SIGILL,
                 f"{MODULE} {TRAP}, while 'together' and 'entities' in scene 'watcher' ran. Function: Wreck.trap"),
    "update": (-signal.SIGILL, f"{MODULE} {TRAP}, during the update of Wrecker. Function: Wreck.trap"),
    "host": (-signal.SIGILL, f"The host {TRAP}, while 'host' ran. Function: Crasher.run"),
}
"""Each way to crash, with the expected exit status and sentence. On aarch64 a trap is SIGTRAP."""


def pattern(sentence):
    """The sentence as a pattern with the function's full demangled name; a private one includes its file."""
    return re.sub(
        r"Function:\\ (\w+)\\\.(\w+)", r"Function: [^\\n]*\1\\.\\(?\2\\b[^\\n]*", re.escape(sentence))


class Failed(Exception):
    """A promise of the host was broken."""


def expect(condition, reason):
    if not condition:
        raise Failed(reason)


class Host:
    """The small host, with a folder for its crash record."""

    def __init__(self, program, library, folder):
        self.record = folder / "crash"
        self.command = [str(program), str(self.record), str(library)]

    def run(self, lines):
        return subprocess.run(self.command, input="\n".join(lines) + "\n", capture_output=True, text=True,
                              timeout=PATIENCE)


class Terminal:
    """The host under its supervisor, in its own session and terminal."""

    def __init__(self, command, *options):
        self.output = ""
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.execv(command[0], [*command, "--supervised", *options])

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def wait(self, pattern):
        """Reads until `pattern` matches, and removes everything up to its end; returns the match."""
        end = time.monotonic() + PATIENCE
        while not (match := re.search(pattern, self.output)):
            readable, _, _ = select.select([self.descriptor], [], [], max(0, end - time.monotonic()))
            expect(readable, f"Timed out waiting for '{pattern}': {self.output!r}")
            try:
                data = os.read(self.descriptor, 65536)
            except OSError:
                data = b""
            expect(data, f"The host ended before '{pattern}': {self.output!r}")
            self.output += data.decode(errors="replace")
        self.output = self.output[match.end():]
        return match

    def ready(self):
        """Waits for the prompt; returns the host's process id."""
        return int(self.wait(r"ready (\d+)").group(1))

    def status(self):
        """Waits for the end; returns the exit status in the form of subprocess."""
        while True:
            try:
                if not os.read(self.descriptor, 65536):
                    break
            except OSError:
                break
        status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        os.close(self.descriptor)
        return status

    def local_flags(self):
        return termios.tcgetattr(self.descriptor)[3]


def check_records(host):
    for way, (status, sentence) in WAYS.items():
        if host.record.exists():
            host.record.unlink()
        run = host.run([way])
        expect(run.returncode == status, f"{way}: status {run.returncode}, not {status}. {run.stderr}")
        expect(host.record.exists(), f"{way}: there is no record.")
        expect(host.record.stat().st_mode & 0o777 == 0o600, f"{way}: others can read the record.")
        text = host.record.read_text()
        frames = [line for line in text.splitlines() if re.match("(pc|call|guess|async) 0x", line)]
        expect(0 < len(frames) <= 64, f"{way}: {len(frames)} frames.")
        expect(text.endswith("\nend\n"), f"{way}: the record is incomplete.\n{text}")
        if way != "update":
            expect(f"\ncommand {way}\n" in text, f"{way}: the command is missing.\n{text}")
        if way != "host":
            expect(" 2 d1e5 Wrecker " in text, f"{way}: the module is not named.\n{text}")
        told = host.run(["record"]).stdout.splitlines()
        expect(any(re.fullmatch(pattern(sentence), line) for line in told), f"{way}: {told}, not {sentence}\n{text}")
        expect(not host.record.exists(), f"{way}: the record was not removed after it was read.")
    smashed = host.run(["smash"])
    # Swift's stack protector calls abort.
    is_complete = host.record.exists() and host.record.read_text().endswith("\nend\n")
    expect(smashed.returncode in (-signal.SIGSEGV, -signal.SIGABRT) and is_complete,
           f"smash: status {smashed.returncode}, or no record.")
    host.record.unlink()
    expect(host.run(["quit"]).returncode == 7 and not host.record.exists(), "A clean exit was recorded.")


def check_restart(host):
    """Crashes in several ways in turn; returns how long the restarts took."""
    terminal = Terminal(host.command)
    terminal.wait(r"restarts 0, supervised true")
    times, before = [], terminal.ready()
    for count, way in enumerate(["trap", "overflow", "exit", "raw"], start=1):
        start = time.monotonic()
        terminal.type(way + "\n")
        terminal.wait(pattern({"raw": f"{MODULE} {TRAP}, while 'raw' ran. Function: Wreck.trap", **{
            way: sentence for way, (_, sentence) in WAYS.items()}}[way]))
        terminal.wait(f"restarts {count}, supervised true")
        after = terminal.ready()
        times.append(time.monotonic() - start)
        expect(after != before, "The process was not replaced.")
        before = after
    expect(terminal.local_flags() & termios.ICANON, "The terminal was not restored.")
    os.kill(before, signal.SIGKILL)
    terminal.wait(r"The host was ended from outside by SIGKILL\.")
    terminal.wait(r"restarts 5")
    terminal.ready()
    terminal.type("quit\n")
    expect(terminal.status() == 7, "The supervisor did not return the host's status.")
    return times


def check_silent_exit(host):
    terminal = Terminal(host.command)
    terminal.ready()
    terminal.type("_exit\n")
    terminal.wait(re.escape("ended the process with exit(0), while '_exit' ran."))
    terminal.ready()
    terminal.type("quit\n")
    expect(terminal.status() == 7, "The status is not 7.")


def check_giving_up(host):
    terminal = Terminal(host.command)
    for _ in range(6):
        terminal.ready()
        terminal.type("trap\n")
    terminal.wait(r"error: The host crashed 6 times in half a minute, at last by signal 4"
                  r" \(Illegal instruction\); it is not started again.")
    expect(terminal.status() == 128 + signal.SIGILL, "The supervisor gave up with another status.")
    terminal = Terminal(host.command, "--early")
    terminal.wait(r"error: The host crashed 3 times before it had a prompt, at last by signal 4")
    expect(terminal.status() == 128 + signal.SIGILL, "The supervisor gave up with another status.")


def check_signals(host):
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]:
        terminal = Terminal(host.command)
        os.kill(terminal.ready(), number)
        expect(terminal.status() == -number, f"Signal {number} to the host was not passed on.")
    for number in [signal.SIGTERM, signal.SIGHUP]:
        terminal = Terminal(host.command)
        terminal.ready()
        os.kill(terminal.process, number)
        expect(terminal.status() == -number, f"Signal {number} to the supervisor was not passed on.")
    terminal = Terminal(host.command)
    terminal.ready()
    terminal.type("\x03")
    expect(terminal.status() == -signal.SIGINT, "Ctrl-C did not end both processes.")


def check_orphan(host):
    """Checks that the host does not outlive its supervisor."""
    terminal = Terminal(host.command)
    child = terminal.ready()
    watch = os.pidfd_open(child)
    os.kill(terminal.process, signal.SIGKILL)
    ended, _, _ = select.select([watch], [], [], PATIENCE)
    expect(ended, "The host outlived its supervisor.")
    os.waitpid(terminal.process, 0)


def check_job_control(host):
    """Checks that Ctrl-Z stops both processes, fg continues both, and a later crash restarts the host."""
    terminal = Terminal.__new__(Terminal)
    terminal.output = ""
    terminal.process, terminal.descriptor = pty.fork()
    if terminal.process == 0:
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    terminal.type("PS1='shell> '\n")
    terminal.wait("shell> ")
    terminal.type(shlex.join(host.command) + " --supervised\n")
    child = terminal.ready()
    terminal.type("\x1a")
    terminal.wait("Stopped")
    terminal.wait("shell> ")
    state = pathlib.Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0]
    expect(state == "T", f"The host is in state {state} after Ctrl-Z.")
    terminal.type("fg\n")
    terminal.type("nothing\n")
    terminal.wait("did nothing")
    terminal.type("trap\n")
    terminal.wait("restarts 1")
    terminal.ready()
    terminal.type("quit\n")
    terminal.wait("shell> ")
    terminal.type("echo status $?; exit\n")
    terminal.wait("status 7")
    terminal.status()


def main():
    # A test may start this from a Dispatch thread, whose child processes inherit blocked signals.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--figures", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        host = Host(arguments.host, arguments.library, pathlib.Path(folder))
        try:
            check_records(host)
            times = check_restart(host)
            check_silent_exit(host)
            check_giving_up(host)
            check_signals(host)
            check_orphan(host)
            check_job_control(host)
        except (Failed, subprocess.TimeoutExpired) as error:
            print(error, file=sys.stderr)
            return 1
    if arguments.figures:
        print("from the command that crashes to the next prompt, in ms:",
              ", ".join(f"{time * 1000:.1f}" for time in times))
    return 0


if __name__ == "__main__":
    sys.exit(main())
