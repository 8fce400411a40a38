#!/usr/bin/env python3
"""Kills the built host at random moments while it saves snapshots and returns to them, and checks what is left.

    Tests/Torture/resets.py [--host FILE] [--modules DIR] [--seed N] [--kills N] [--postgres]

The data are in files, or on a PostgreSQL server. After each kill the rows, the session and the stack are all those
of one of the two named states; a killed `save` leaves a snapshot that can be used, or none. Prints the totals;
prints the first failure and exits 1 if there is one.
"""

import argparse
import math
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import kills
from kills import PASSWORD, RELEASE, Failed
from servers import Database

COMPLETED = "warning: A reset to a snapshot was interrupted; it is now completed."
ENTITIES = 200
"""In each state, so that a reset takes some time."""
LEFT = ("resetting", "reset.json", "reset-server.json")
"""What a reset keeps in the data folder until it is complete."""


class Host(kills.Host):
    def __init__(self, executable, modules, folder, database):
        super().__init__(executable, modules, folder)
        if database:
            self.command += ["--database", database]

    def run(self, line):
        """As in kills.py, but a reset may have been completed."""
        run = subprocess.run([*self.command, "-c", line], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=60)
        if names := kills.QUARANTINED.findall(run.stderr):
            for name in names:
                subprocess.run([*self.command, "-c", f"module start {name}"], stdin=subprocess.DEVNULL,
                               capture_output=True, timeout=60)
            return self.run(line)
        errors = run.stderr
        if COMPLETED in errors:
            errors = errors.replace(f"{COMPLETED}\n  hint: snapshot list\n", "")
        # A session on a slow server is restored after the first command has begun.
        errors = re.sub(r"^\S+ signed in\.\n", "", errors, flags=re.M)
        replies = [kills.json.loads(row) for row in run.stdout.splitlines()]
        if found := kills.problems(errors):
            raise Failed(f"'{line}' reported: {' '.join(found)}")
        for reply in replies:
            if not reply["ok"]:
                raise Failed(f"'{reply['command']}' failed: {reply['error']['message']}")
        return replies

    def state(self):
        """All rows, who is signed in, and the stack."""
        rows, session, where = self.run("entities list --size 500 --sort oldest; session; where")
        return {
            "rows": [(row["id"], row["name"], row["category"]) for row in rows["result"]["rows"]],
            "total": rows["result"]["total"], "person": session["result"]["email"],
            "stack": [entry["link"] for entry in where["result"]["rows"]]}

    def snapshots(self):
        [reply] = self.run("snapshot list")
        return {row["name"] for row in reply["result"]["rows"]}

    def kill_during(self, line, moment):
        """Kills the host some time after it was given a line; returns whether it had answered."""
        process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        process.stdin.write("where\nentities list --size 1\n")
        process.stdin.flush()
        # A kill during the start would meet no snapshot.
        for _ in range(2):
            process.stdout.readline()
        timer = threading.Timer(moment, process.kill)
        timer.start()
        kills.write(process.stdin, f"{line}\n")
        answer = process.stdout.read()
        process.wait()
        timer.cancel()
        return answer.endswith("\n")


def prepare(host, folder):
    """Makes two states that differ in everything, each with a snapshot."""
    states = {}
    for name, change in [
        ("one", "session sign-up --email one@example.com --password '{0}'; open entities"),
        ("two", "entities delete 1; entities/2 set category moved; session sign-out; "
                "session sign-up --email two@example.com --password '{0}'; root; open session"),
    ]:
        file = folder / f"{name}.csv"
        file.write_text("name\n" + "".join(f"{name} {number}\n" for number in range(ENTITIES)))
        host.run(f"entities import '{file}'; " + change.format(PASSWORD))
        states[name] = host.state()
        host.run(f"snapshot save {name}")
    if states["one"] == states["two"]:
        raise Failed("The two states do not differ.")
    return states


def torture(host, generator, count, folder, deadline):
    states, now = prepare(host, folder), "two"
    times = []
    for name in ["one", "two"]:
        began = time.monotonic()
        host.run(f"snapshot reset {name}")
        times.append(time.monotonic() - began)
    longest = statistics.mean(times)
    kept = host.snapshots()
    done = saved = finished = 0
    while done < count and time.monotonic() < deadline:
        is_save = generator.random() < 0.4
        target = now if is_save else "one" if now == "two" else "two"
        line = "snapshot save extra" if is_save else f"snapshot reset {target}"
        moment = generator.uniform(0, 1.5 * longest)
        finished += host.kill_during(line, moment)
        found = host.state()
        if found not in [states[now], states[target]]:
            differing = [key for key in found if found[key] != states[now][key]], [
                key for key in found if found[key] != states[target][key]]
            raise Failed(f"kill {done}, {moment:.3f} s into '{line}': neither the state before ({differing[0]} "
                         f"differ) nor the one after ({differing[1]} differ)")
        now = target if found == states[target] else now
        if left := [name for name in LEFT if (host.data / name).exists()]:
            raise Failed(f"kill {done}, {moment:.3f} s into '{line}' left {left}")
        if "extra" in host.snapshots():
            host.run("snapshot reset extra")
            if host.state() != states[now]:
                raise Failed(f"kill {done}, {moment:.3f} s into '{line}': the snapshot has another state")
            host.run("snapshot delete extra")
            saved += 1
        if missing := kept - host.snapshots():
            raise Failed(f"kill {done}, {moment:.3f} s into '{line}' lost the snapshots {sorted(missing)}")
        done += 1
    return f"{done} kills, {saved} snapshots saved, {finished} commands done, each state whole"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", type=pathlib.Path, default=RELEASE / "atrium")
    parser.add_argument("--modules", type=pathlib.Path, default=RELEASE)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--postgres", action="store_true", help="have the data in a PostgreSQL server")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin nothing after this time")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="atrium-"))
    folder.chmod(0o711)
    database = Database(folder / "server") if options.postgres else None
    try:
        host = Host(options.host.absolute(), options.modules.absolute(), folder, database and database.url)
        figures = torture(
            host, random.Random(options.seed), options.kills, folder, time.monotonic() + options.seconds)
    except Failed as failure:
        print(f"seed {options.seed}: {failure}")
        return 1
    finally:
        if database:
            database.call("stop")
        shutil.rmtree(folder)
    print(f"seed {options.seed}: {figures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
