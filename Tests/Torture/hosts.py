#!/usr/bin/env python3
"""Has many hosts change one PostgreSQL database at once, while hosts and the server are killed at random.

    Tests/Torture/hosts.py [--host FILE] [--modules FILE] [--hosts N] [--changes N] [--kills N] [--seed N]
                           [--seconds N]

Each host creates entities and renames some of its own. In the end every acknowledged change is there, nothing that
was told as undone was done, nothing was done twice, and the total that a host shows is right. A change whose outcome
was told as unknown may be either. Prints the totals; prints what is wrong and exits 1 if anything is.
"""

import argparse
import json
import pathlib
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time

from faults import RELEASE, ROOT, Failed
from servers import Database

UNKNOWN = "unknownOutcome"
AHEAD = 20
"""So many commands are sent before their answers."""


class Worker(threading.Thread):
    """A host with a data folder, started again whenever it is killed, and what it was told of each name."""

    def __init__(self, number, options, folder, url, changes):
        super().__init__(daemon=True)
        self.number = number
        self.command = [
            options.host, "--config", options.modules, "--data", folder / f"host{number}", "--database", url,
            "--no-supervisor", "--json", "--keep-going"]
        self.left = changes
        self.made = 0
        self.chance = random.Random(options.seed * 100 + number)
        # The id of each entity that is there for sure and that no command renames, by its name.
        self.names = {}
        self.possible = set()
        self.refused = set()
        self.acknowledged = 0
        self.process = None
        self.problem = None

    def run(self):
        try:
            while self.left > 0:
                self.session()
        except Exception as problem:  # pylint: disable=broad-exception-caught
            self.problem = f"host {self.number}: {type(problem).__name__}: {problem}"

    def session(self):
        """Runs commands until the host is killed, or nothing is left to do."""
        self.process = process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        sent = queue.Queue()
        try:
            while self.left > 0 or not sent.empty():
                while self.left > 0 and sent.qsize() < AHEAD:
                    change = self.next()
                    sent.put(change)
                    self.left -= 1
                    process.stdin.write(change[0] + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
                if not line:
                    break
                self.answered(sent.get(), json.loads(line))
            process.stdin.close()
        except (BrokenPipeError, ValueError):
            pass
        process.stdin = None
        for line in process.stdout:
            self.answered(sent.get(), json.loads(line))
        process.wait()
        # What had no answer may have been done.
        while not sent.empty():
            self.possible.update(name for name in sent.get()[1:3] if name)

    def next(self):
        self.made += 1
        name = f"h{self.number}n{self.made}"
        former = self.chance.choice(list(self.names)[-50:]) if self.names and self.chance.random() < 0.3 else None
        if former and self.names[former]:
            number = self.names.pop(former)
            return f"entities/{number} set name {name}", name, former, number
        return f"entities create --name {name}", name, None, None

    def answered(self, change, reply):
        _, name, former, number = change
        if reply["ok"]:
            self.acknowledged += 1
            # Without an id if the server ended after the change, so that its screen could not be shown.
            self.names[name] = number or reply["result"].get("id")
        elif reply["error"]["code"] == UNKNOWN:
            self.possible.update(name for name in (name, former) if name)
        elif reply["error"]["code"] in ("databaseUnreachable", "databaseConflict", "databaseLocked"):
            self.refused.add(name)
            # Another change takes its place, once the server is there again.
            self.left += 1
            time.sleep(0.02)
            if former:
                self.names[former] = number
        else:
            raise Failed(f"{change[0]}: {reply['error']}")


def run(options, folder):
    database = Database(folder / "server")
    workers = [
        Worker(number, options, folder, database.url, options.changes // options.hosts)
        for number in range(options.hosts)]
    chance = random.Random(options.seed)
    start, kills = time.monotonic(), 0
    try:
        for worker in workers:
            worker.start()
        while any(worker.is_alive() for worker in workers):
            if time.monotonic() - start > options.seconds:
                raise Failed(f"not done within {options.seconds:.0f} s")
            if kills < options.kills:
                time.sleep(chance.uniform(0.05, 0.4))
                if chance.random() < 0.3:
                    database.restart()
                else:
                    victim = chance.choice(workers)
                    if victim.process is not None:
                        victim.process.kill()
                kills += 1
            else:
                time.sleep(0.05)
        check(workers, options, folder, database.url)
    finally:
        for worker in workers:
            if worker.process is not None:
                worker.process.kill()
        database.call("stop")
    acknowledged = sum(worker.acknowledged for worker in workers)
    unknown = sum(len(worker.possible) for worker in workers)
    print(f"{options.hosts} hosts, {kills} kills, {acknowledged} acknowledged changes, none lost, {unknown} without an "
          f"answer or of unknown outcome, {acknowledged / (time.monotonic() - start):,.0f}/s")


def check(workers, options, folder, url):
    """Compares what is in the database with what the hosts were told."""
    problems = [worker.problem for worker in workers if worker.problem]
    command = [options.host, "--config", options.modules, "--data", folder / "reader", "--database", url, "--json"]
    target = folder / "all.jsonl"
    replies = subprocess.run(
        [*command, "-c", f"entities export {target} --replace; entities"], check=True, stdout=subprocess.PIPE,
        text=True).stdout.splitlines()
    names = [json.loads(line)["name"] for line in target.read_text().splitlines()]
    total = json.loads(replies[-1])["result"]["total"]
    present = set(names)
    if total != len(names):
        problems.append(f"the total is {total}, and there are {len(names)}")
    if len(present) != len(names):
        problems.append(f"{len(names) - len(present)} names are there twice")
    for worker in workers:
        lost = {name for name in worker.names if name not in present and name not in worker.possible}
        done = {name for name in worker.refused & present if name not in worker.possible}
        if lost:
            problems.append(f"host {worker.number}: lost: {sorted(lost)[:5]} of {len(lost)}")
        if done:
            problems.append(f"host {worker.number}: told as undone, and done: {sorted(done)[:5]} of {len(done)}")
    if problems:
        raise Failed("\n".join(problems))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default=RELEASE / "atrium", metavar="FILE")
    parser.add_argument("--modules", default=ROOT / "modules.json", metavar="FILE", help="the configuration")
    parser.add_argument("--hosts", type=int, default=4, metavar="N")
    parser.add_argument("--changes", type=int, default=100_000, metavar="N", help="of all hosts together")
    parser.add_argument("--kills", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), metavar="N")
    parser.add_argument("--seconds", type=float, default=1_800, metavar="N", help="how long it may take")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="atrium-hosts-") as folder:
        pathlib.Path(folder).chmod(0o755)
        try:
            run(options, pathlib.Path(folder))
        except Failed as problem:
            print(f"{problem}\nhosts.py --seed {options.seed} found something")
            sys.exit(1)


main()
