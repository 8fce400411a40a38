"""What the scripts with fault.c share: the built host, ended or with a full disk at a call that changes a file."""

import argparse
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / ".build" / "release"
SOURCE = pathlib.Path(__file__).resolve().parent / "fault.c"
RECORD = 128
"""The bytes that fault.c writes for each call."""
PATIENCE = 60
"""The time limit for a host, in seconds."""
KINDS = {"kill": "SIGKILL", "full": "full disk"}
NEVER = 1 << 40
"""The number of a call that never comes."""
COUNT = object()
"""The step from which on calls are counted."""


class Failed(Exception):
    """A promise of the host was broken."""


def library(folder):
    """Builds what is loaded before the host."""
    path = folder / "fault.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", path, SOURCE, "-ldl"], check=True)
    return path


def parser(description):
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--host", type=lambda path: pathlib.Path(path).absolute(), default=RELEASE / "atrium")
    parser.add_argument("--modules", type=lambda path: pathlib.Path(path).absolute(), default=RELEASE)
    return parser


class Run:
    """What a host said: its replies, its output, and its exit status."""
    lines = ()

    def __init__(self, process, steps, count):
        for step in steps:
            if step is COUNT:
                count()
            elif callable(step):
                step()
            elif not self.send(process, step):
                break
        process.stdin.close()
        self.returncode = process.wait()
        # What it started may live, and hold the pipes.
        end_session(process.pid)
        self.replies = [json.loads(line) for line in self.lines]
        self.stdout, self.stderr = "".join(self.lines) + process.stdout.read(), process.stderr.read().strip()

    def send(self, process, line):
        """Sends a line and waits for its reply; false if there is none."""
        try:
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
        except BrokenPipeError:
            return False
        reply = process.stdout.readline()
        if reply.endswith("\n"):
            self.lines = (*self.lines, reply)
        return reply.endswith("\n")


def end_session(leader):
    """Ends what is left of a session."""
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(path.read_text().rpartition(")")[2].split()[3]) == leader:
                os.kill(int(path.parent.name), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass


class Host:
    """Runs the host on the data folder `folder/data`."""

    def __init__(self, executable, folder, configuration):
        self.folder, self.data = folder, folder / "data"
        self.calls, self.temporary = folder / "calls", folder / "tmp"
        (folder / "modules.json").write_text(json.dumps(configuration))
        self.command = [executable, "--config", folder / "modules.json", "--data", self.data]
        self.library = library(folder)
        self.environment = {}

    def run(self, *arguments, steps=(), fault=None):
        """Runs it with a fault, (kind, number), if there is one.

        `steps` are lines, each sent once its predecessor is answered, functions to call in between, and COUNT; without
        it calls are counted from the start.
        """
        environment = {**os.environ, "TMPDIR": str(self.temporary)}
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir()
        if fault:
            self.calls.unlink(missing_ok=True)
            environment |= self.environment | {
                "LD_PRELOAD": str(self.library), "ATRIUM_CALLS": str(self.calls), "ATRIUM_FAULT": fault[0],
                "ATRIUM_FAULT_AT": str(fault[1])}
            if COUNT not in steps:
                self.calls.touch()
        process = subprocess.Popen(
            [*self.command, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=environment, start_new_session=True)
        late = threading.Event()
        timer = threading.Timer(PATIENCE, lambda: (late.set(), end_session(process.pid)))
        timer.start()
        with process:
            run = Run(process, steps, self.calls.touch)
        timer.cancel()
        if late.is_set():
            raise Failed(f"did not end within {PATIENCE} s: {run.stderr}{run.stdout}")
        return run

    def renew(self, former):
        """Makes the data folder a copy of a former one, and removes what lies beside it."""
        for path in self.folder.glob("data*"):
            shutil.rmtree(path)
        shutil.copytree(former, self.data, symlinks=True)

    def call(self, number):
        """Describes a call of the last run with a fault; None if it did not come that far."""
        records = self.calls.read_text(errors="replace").splitlines() if self.calls.exists() else []
        return " ".join(records[number - 1].split()) if number <= len(records) else None

    def each_call(self, attempt, name="", sample=None, always=""):
        """Has a fault of each kind at each call of what `attempt` runs, and prints what goes wrong.

        With `sample` at so many calls alone: the first one that has `always` in its text, and others, spread evenly.
        Returns the number of calls in words, and that of the faults.
        """
        counts, broken = [], 0
        for kind, text in KINDS.items():
            done = 0
            for number in self.sample(attempt, kind, sample, always) if sample else itertools.count(1):
                try:
                    attempt((kind, number))
                    if number == 1 and self.call(1) is None:
                        raise Failed("no call was counted")
                except Failed as failure:
                    broken += 1
                    print(f"{name}{text} at call {number}, {self.call(number) or 'its end'}: {failure}", flush=True)
                if self.call(number) is not None:
                    done += 1
                elif not sample:
                    break
            if sample and not done:
                raise Failed(f"{name}{text}: no call was reached")
            counts.append(f"{text} at {done} calls")
        return ", ".join(counts), broken

    def sample(self, attempt, kind, size, always):
        """Runs `attempt` without a fault; returns the numbers of some of its calls."""
        attempt((kind, NEVER))
        calls = list(itertools.takewhile(lambda call: call is not None, map(self.call, itertools.count(1))))
        first = next((number for number, call in enumerate(calls, 1) if always and always in call), None)
        spread = size - 1 if first and size > 1 else size
        numbers = {1 + len(calls) * (2 * index + 1) // (2 * spread) for index in range(spread)} if calls else set()
        return sorted(numbers | ({first} if first else set()))
