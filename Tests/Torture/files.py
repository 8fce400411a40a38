#!/usr/bin/env python3
"""Gives the built host outputs that can't be written, and files that wait or never end.

    Tests/Torture/files.py [--host FILE] [--modules DIR] [--short] [STEP …]

An error of writing is an exit code other than 0 and a sentence, at every front end. A file that is no file is
refused; one that waits (a pipe without another end) keeps its own client only, and Ctrl-C ends that. Prints each
step, and the totals; exits 1 if one failed. A full disk needs root.
"""

import os
import pathlib
import pty
import signal
import socket
import subprocess
import sys
import threading
import time

from fronts import CREATE, FRONTS, PATIENCE, Run, main
import serving
from disk import Disk
from exhaustion import Clients, fill
from process import HANGS
from serving import MINUTE, expect, expect_equal, expect_healthy, until

TRANSCRIPT = "main> where\n<*>\n"


# Errors of writing

def an_error_of_writing_is_told_by_every_front_end(host):
    """To a full device, and to an output that was closed before the start."""
    wrong = []
    for front in FRONTS:
        if front == "attach":
            host.start()
        if front == "serve":
            continue
        for target in ("/dev/full", "closed"):
            for line in ("where", CREATE):
                wrong += not_told(host, front, target, line)
    expect(not wrong, "\n".join(wrong))


def not_told(host, front, target, line):
    closing = ["sh", "-c", 'exec "$@" >&-', "sh"] if target == "closed" else []
    with open("/dev/full" if target == "/dev/full" else os.devnull, "w", encoding="utf-8") as output:
        run = Run(host, front, closing, line, stdout=output)
    # A prompt's errors are at its terminal.
    said = run.said or run.output
    return [] if run.code in (1, 2) and "can't be written" in said else [
        f"{front}, '{line}' to {target}: {run.code}, {said.strip()[-300:]!r}"]


def other_results_that_cant_be_written_are_told(host):
    path = host.folder / "ok.transcript"
    path.write_text(TRANSCRIPT)
    for words in (["--help"], ["--version"], ["--paths"], ["verify"], ["lock"], ["--json", "-c", "where"],
                  ["-c", "entities export - --format csv"], ["-c", "help; where"], ["test", path]):
        command = command_of(host, words)
        with open("/dev/full", "w", encoding="utf-8") as output:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True,
                                  timeout=MINUTE)
        expect_equal(done.returncode, 1, f"{words}: {done.stderr}")
        expect("can't be written: No space left on device" in done.stderr, f"{words}: {done.stderr}")


def command_of(host, words):
    """What plays and records has a data folder of its own."""
    own = [host.options.host, "--config", host.configuration, *words]
    return own if words[0] in ("test", "record") else host.command(*words)


def a_reader_that_goes_is_told(host):
    for served in (False, True):
        if served:
            host.start()
        for words, lines in ((["-c", "help; where"], ""), ([], "help\nwhere\n"), (["--json", "-c", "where"], "")):
            done = without_reader(host, words, lines)
            expect_equal(done.returncode, 1, f"{words}: {done.stderr}")
            expect("closed by its reader" in done.stderr, f"{words}: {done.stderr}")


def without_reader(host, words, lines):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as output:
        return subprocess.run(host.command(*words), input=lines, stdout=output, stderr=subprocess.PIPE, text=True,
                              timeout=MINUTE)


def a_log_that_cant_be_written_ends_nothing(host):
    for log in ("/dev/full", "closed"):
        closing = " 2>&-" if log == "closed" else f" 2>{log}"
        host.process = subprocess.Popen(["sh", "-c", f'exec "$@"{closing}', "sh", *host.command("serve")])
        until("a host that serves", lambda: serving.can_attach(host))
        expect_equal(host.run("-c", "where; nosuch").returncode, 1, "a script")
        expect_healthy(host)
        expect_equal(host.stop(), 0, f"the exit code with {log} as its log")


def a_full_disk_keeps_the_former_file(host):
    disk = Disk(host.folder / "disk")
    disk.path.mkdir()
    disk.mount(2_048)
    try:
        host.run("-c", "; ".join(f"entities create --name x{number} --notes '{'x' * 2000}'" for number in range(40)))
        former = disk.path / "former.csv"
        former.write_text("former")
        fill(disk)
        for served in (False, True):
            if served:
                host.start()
            for words in (["backup", disk.path / "b"], ["-c", f"backup {disk.path}/b"],
                          ["-c", f"entities export {former} --replace"], ["-c", f"entities export {disk.path}/e.csv"],
                          *(["-c", f"entities export - --format jsonl {sign} {path}"]
                            for sign in (">", ">>") for path in (disk.path / "rows", former)),
                          ["record", disk.path / "r"], ["record", former, "--replace"]):
                done = subprocess.run(command_of(host, words), input="where\n", capture_output=True, text=True,
                                      timeout=MINUTE)
                expect(done.returncode in (1, 2), f"{words}: {done.returncode} {done.stdout[-300:]}")
                expect("no space" in done.stderr.lower(), f"{words}: {done.stderr}")
                expect_equal(former.read_text(), "former", f"the file that was there, {words}")
                left = {path.name for path in disk.path.iterdir()} - {"former.csv", "filler"}
                expect_equal(left, set(), f"left on the disk, {words}")
    finally:
        disk.unmount()


# Files that wait or never end

def odd_files(host):
    paths = {"fifo": None, "zero": "/dev/zero", "terminal": "/dev/tty", "folder": host.folder / "folder",
             "socket": host.folder / "socket", "sparse": host.folder / "sparse"}
    paths["folder"].mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(paths["socket"]))
    with open(paths["sparse"], "wb") as file:
        file.truncate(10 << 30)
    return paths


WAITING = {
    # what reads or writes the file; whether it waits for the other end of a pipe
    "run {0}": True, "-c|source {0}": True, "-c|where > {0}": True,
    "-c|session sign-up --email a@b.c --password @file:{0}": True, "-c|entities import {0} --format csv": False,
    "-c|module add {0}": False, "-c|backup {0}": False, "-c|entities export {0} --format csv": False,
    "restore {0}": False, "backup {0}": False, "verify --module {0}": False, "--config {0} -c|where": False}


class Bystander(threading.Thread):
    """Asks, again and again; `longest` is what it waited for an answer."""

    def __init__(self, host):
        super().__init__(daemon=True)
        self.client, self.longest, self.answers, self.ends = host.attach(), 0, 0, threading.Event()
        self.start()

    def run(self):
        while not self.ends.wait(0.02):
            start = time.monotonic()
            self.client.run("where; entities list")
            self.longest, self.answers = max(self.longest, time.monotonic() - start), self.answers + 1

    def stop(self, what):
        self.ends.set()
        self.join(HANGS)
        expect(not self.is_alive() and self.answers > 3, f"{what}: others got {self.answers} answers")
        expect(self.longest < PATIENCE, f"{what}: others waited {self.longest:.1f} s")


def files_that_wait_keep_their_own_client_only(host):
    host.start()
    paths = odd_files(host)
    other, wrong = Bystander(host), []
    for kind, path in paths.items():
        runs = []
        for number, line in enumerate(WAITING):
            if kind == "fifo":
                path = host.folder / f"fifo{number}"
                os.mkfifo(path)
            if kind == "sparse":
                # One command empties it.
                path = host.folder / f"sparse{number}"
                path.touch()
                os.truncate(path, 10 << 30)
            before, _, last = line.format(path).partition("|")
            runs.append((line, at_terminal(host, [*before.split(), *([last] if last else [])])))
        time.sleep(1)
        for line, run in runs:
            try:
                expect_refused_or_waiting(kind, line, run)
            except serving.Failed as failure:
                wrong.append(str(failure))
    other.stop("files that wait")
    print(f"  {len(paths)} files, {len(WAITING)} commands; {other.answers} answers to others, the longest wait "
          f"{other.longest:.2f} s", flush=True)
    expect(not wrong, "\n".join(wrong))


def at_terminal(host, words):
    """Begins a program whose /dev/tty is a terminal of its own."""
    own, theirs = pty.openpty()
    run = subprocess.Popen(["setsid", "-c", *host.command(*words)], stdin=theirs, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    run.terminal = own
    return run


def expect_refused_or_waiting(kind, line, run):
    waits = kind == "fifo" and WAITING[line]
    if waits:
        expect(run.poll() is None, f"{line} of a {kind} did not wait: {run.poll()}")
        run.send_signal(signal.SIGINT)
    try:
        _, said = run.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        run.kill()
        raise serving.Failed(f"{line} of a {kind} hangs") from None
    os.close(run.terminal)
    if waits:
        expect_equal(run.returncode, -signal.SIGINT, f"how {line} of a {kind} ends: {said}")
    elif not (line == "-c|where > {0}" and kind in ("zero", "terminal", "sparse")):
        expect(run.returncode in (1, 2, 3), f"{line} of a {kind}: {run.returncode} {said}")
        expect("error: " in said, f"{line} of a {kind} says nothing")


def a_prompt_waits_for_no_file_of_its_folder(host):
    host.run("-c", "where")
    paths = odd_files(host)
    for name in ("history", "startup", "events.jsonl", "atrium.log"):
        for kind, path in paths.items():
            if (name, kind) == ("startup", "fifo"):
                continue  # is waited for, until Ctrl-C
            place = pathlib.Path(host.data) / name
            place.unlink(missing_ok=True)
            if path is None:
                os.mkfifo(place)
            else:
                place.symlink_to(path)
            run = Run(host, "prompt")
            run.expect_told(f"a prompt whose {name} is a {kind}")
            expect("Link " in run.output, f"a prompt whose {name} is a {kind}: {run.output}")
            # What it wrote over is no link any more.
            place.unlink(missing_ok=True)


def one_client_with_many_silent_files_keeps_no_other(host):
    """Its commands are read by the host, each a job of its own; more than the files that the system gives."""
    pipe = host.folder / "pipe"
    os.mkfifo(pipe)
    (host.folder / "part").write_text("where\n")
    plain = host.command
    host.command = lambda *words: ["prlimit", "--nofile=1024", *plain(*words)]
    host.start()
    host.command = plain
    clients = Clients(host, 30)
    with host.attach(person=True) as greedy:
        for _ in range(1_100):
            greedy.run(f"session sign-up --email a@b.c --password @file:{pipe} &")
        time.sleep(3)
        expect(host.process.poll() is None, f"the host ended with {host.process.poll()}")
    clients.stop("while one has 1,100 files")
    expect_equal(set(clients.codes), {"ok"}, "the answers to others")
    expect_healthy(host)


def a_certificate_that_waits_is_refused(host):
    """A server that takes connections, and an authority that is a pipe."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        pipe = host.folder / "pipe"
        os.mkfifo(pipe)
        words = ["--env", "live", "--api", f"https://127.0.0.1:{server.getsockname()[1]}", "--ca", str(pipe)]
        host.configuration.write_text(host.configuration.read_text().replace(
            '"modules": [', '"modules": [{"name": "HTTPTransport"}, '))
        try:
            done = subprocess.run(host.command(*words, "-c", "entities list"), stdin=subprocess.DEVNULL, text=True,
                                  capture_output=True, timeout=HANGS)
        except subprocess.TimeoutExpired:
            raise serving.Failed("'--ca PIPE' hangs") from None
        expect(done.returncode in (1, 2) and "regular file" in done.stderr, f"{done.returncode} {done.stderr}")


STEPS = [an_error_of_writing_is_told_by_every_front_end, other_results_that_cant_be_written_are_told,
         a_reader_that_goes_is_told, a_log_that_cant_be_written_ends_nothing,
         files_that_wait_keep_their_own_client_only, a_prompt_waits_for_no_file_of_its_folder,
         one_client_with_many_silent_files_keeps_no_other, a_certificate_that_waits_is_refused]
ROOTS = [a_full_disk_keeps_the_former_file]

if __name__ == "__main__":
    sys.exit(main(__doc__, STEPS, ROOTS))
