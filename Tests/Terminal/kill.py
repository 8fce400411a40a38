#!/usr/bin/env python3
"""Kills the built host with SIGKILL during creates and checks the data afterwards.

    Tests/Terminal/kill.py [--host FILE] [--modules DIR] [--seed N]

Acknowledged entities are kept, no others exist, no file is damaged, and the next start reports no problem.
Prints the first failure and exits 1 if there is one.
"""

import argparse
import json
import pathlib
import random
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading

RELEASE = pathlib.Path(__file__).resolve().parents[2] / ".build" / "release"
ROUNDS = 5
CREATES = 5000
"""So many in a round that the host is killed before it has run all of them."""
LATEST = 0.3
"""The latest moment of a kill in seconds after the first reply, or after the start if it is killed there."""


class Failed(Exception):
    """A promise of the host was broken."""


def expect(condition, reason):
    if not condition:
        raise Failed(reason)


class Host:
    """The built host with a data folder."""

    def __init__(self, executable, modules, folder):
        self.data = folder / "data"
        configuration = folder / "modules.json"
        names = ["Session", "UserProfile", "Entities"]
        configuration.write_text(json.dumps(
            {"searchPaths": [str(modules)], "modules": [{"name": name} for name in names]}))
        self.command = [executable, "--json", "--data", self.data, "--config", configuration]

    def run(self, lines):
        """Runs lines to their end; any output on standard error, such as a warning, is a failure, but for the
        notice of a start or a host that was killed."""
        run = subprocess.run(self.command, input=lines, capture_output=True, text=True, timeout=60)
        errors = run.stderr.splitlines()
        if errors and errors[0].startswith(
                ("warning: The start before this one ended in module ", "warning: The host before this one ended")):
            errors = errors[2:]
        expect(not errors and run.returncode == 0,
               f"Exit status {run.returncode}.\n{run.stderr}\n{run.stdout[:2000]}")
        return [json.loads(line)["result"] for line in run.stdout.splitlines()]

    def run_and_kill(self, lines, moment, starting=False):
        """Kills the host `moment` seconds after its first reply, or its start; returns its results."""
        process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        timer = threading.Timer(moment, process.kill)
        writer = threading.Thread(target=write, args=(process.stdin, lines))
        writer.start()
        output = []
        if starting:
            timer.start()
        else:
            output.append(process.stdout.readline())
            timer.start()
        output += process.stdout
        errors = process.stderr.read()
        writer.join()
        timer.cancel()
        process.wait()
        # The kill may truncate the last line, which then is not acknowledged.
        output = [line for line in output if line.endswith("\n")]
        status = process.returncode
        expect(status == -9, f"The host ended before it was killed, with status {status}.\n{errors}")
        replies = [json.loads(line) for line in output]
        expect(all(reply["ok"] for reply in replies), f"A command failed: {output[-1:]}")
        return [reply["result"] for reply in replies]

    def names(self):
        """The names of all entities, oldest first."""
        names, page = [], 1
        while True:
            [result] = self.run(f"entities list --size 500 --sort oldest --page {page}\n")
            names += [row["name"] for row in result["rows"]]
            if not result["hasMore"]:
                expect(len(names) == result["total"], f"{len(names)} rows of {result['total']}")
                return names
            page += 1


def write(pipe, text):
    try:
        pipe.write(text)
        pipe.flush()
    except BrokenPipeError:
        pass


def creates(round):
    """The lines of a round; navigation after every fifth create makes the host write its state file too."""
    lines = []
    for number in range(CREATES):
        lines.append(f"entities create --name round{round}-{number:04}")
        if number % 5 == 0:
            lines.append("open entities/new" if number % 10 == 0 else "back")
    # The stack at the end of a round is unknown, so the next round begins at home.
    return "\n".join(["root", *lines]) + "\n"


def check_files(data):
    """Checks that no file is damaged or renamed, databases are consistent, and all are private."""
    databases = sorted(data.glob("*.sqlite"))
    states = sorted(data.glob("*.json"))
    expect({"Entities.sqlite", "Session.sqlite"} <= {path.name for path in databases}, f"only {databases}")
    expect("session-local.json" in {path.name for path in states}, f"only {states}")
    for path in databases:
        connection = sqlite3.connect(path)
        answer = connection.execute("PRAGMA integrity_check").fetchall()
        connection.close()
        expect(answer == [("ok",)], f"{path.name}: {answer}")
    for path in states:
        expect(isinstance(json.loads(path.read_text()), dict), f"{path.name}: {path.read_text()}")
    aside = [path.name for path in data.iterdir() if "damaged" in path.name]
    expect(not aside, f"Renamed as damaged: {aside}")
    for path in data.iterdir():
        expect(stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, f"{path.name} is open to others")


def perform(host, generator):
    host.run("session sign-up --email ada@example.com --password 'correct horse 9'\n")
    kept, acknowledged_in_all = [], 0
    for round in range(ROUNDS):
        # One round kills the host during its start, which takes some hundredths of a second.
        starting = round == 2
        moment = generator.uniform(0, 0.05 if starting else LATEST)
        results = host.run_and_kill(creates(round), moment, starting)
        acknowledged = [name for name in (result.get("name") for result in results) if name]

        [status] = host.run("session\n")
        names = host.names()

        expect(status["email"] == "ada@example.com", f"The sign-in was lost: {status}")
        expect(names[:len(kept)] == kept, "Entities of an earlier round are lost or changed.")
        new = names[len(kept):]
        lost = [name for name in acknowledged if name not in new]
        expect(not lost, f"{len(lost)} of {len(acknowledged)} acknowledged creates are lost: {lost[:5]} …")
        asked = [f"round{round}-{number:04}" for number in range(len(new))]
        expect(new == asked, "The entities are not the created ones in their order.")
        check_files(host.data)
        print(f"killed {moment:.3f} s after the {'start' if starting else 'first reply'}: "
              f"{len(acknowledged)} acknowledged, {len(new)} there", flush=True)
        acknowledged_in_all += len(acknowledged)
        kept = names
    expect(acknowledged_in_all > 0, "No command was acknowledged before the kills, so nothing was tested.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", type=pathlib.Path, default=RELEASE / "atrium")
    parser.add_argument("--modules", type=pathlib.Path, default=RELEASE)
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="atrium-") as folder:
        host = Host(options.host.absolute(), options.modules.absolute(), pathlib.Path(folder))
        try:
            perform(host, random.Random(options.seed))
        except Failed as failure:
            sys.exit(f"FAILED with seed {options.seed}: {failure}")


if __name__ == "__main__":
    main()
