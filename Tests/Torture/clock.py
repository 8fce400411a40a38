#!/usr/bin/env python3
"""Sets the clock of a running host forward and back, from the year 1 to the year 9999.

    Tests/Torture/clock.py [--host FILE] [--modules DIR] [--seed N] [--jumps N]

The host answers every command within seconds; what was saved is there; a command fails only because a session has
ended, and works again after a sign-in; a later start with any other clock reads everything. The host reads a clock
that clock.c moves, not the machine's. Prints the totals; prints the first failure and exits 1 if there is one.
"""

import argparse
import contextlib
import json
import math
import mmap
import os
import pathlib
import random
import selectors
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
RELEASE = HERE.parents[1] / ".build" / "release"
EXTRA = HERE.parents[1] / "Examples/Catalog/.build/release/libCatalog.so"
EMAIL, PASSWORD = "ada@example.com", "correct horse 9"
PATIENCE = 20
"""The timeout of a command, in seconds."""
DAY = 86_400
JUMPS = [1, 59, 3_600, DAY, 31 * DAY, 366 * DAY, 12 * 366 * DAY, 1_000 * 366 * DAY]
FIRST, LAST = -62_135_596_800, 253_402_300_799
"""The years 1 and 9999, in seconds since 1970."""
COMMANDS = ["where", "session", "profile", "entities list", "modules", "events", "nav alive", "container", "help"]
ENDED = {"notSignedIn", "sessionExpired", "notAuthenticated", "confirmationNeeded", "refused"}
"""The codes of errors about a session that has ended."""


class Failed(Exception):
    pass


class Clock:
    def __init__(self, folder):
        self.file = folder / "clock"
        self.file.write_bytes(bytes(8))
        self.page = mmap.mmap(os.open(self.file, os.O_RDWR), 8)
        library = folder / "clock.so"
        subprocess.run(["cc", "-O2", "-Wall", "-shared", "-fPIC", "-o", library, HERE / "clock.c", "-ldl"], check=True)
        self.environment = os.environ | {"LD_PRELOAD": str(library), "ATRIUM_CLOCK": str(self.file)}

    @property
    def offset(self):
        return struct.unpack("q", self.page[:8])[0]

    def set(self, offset):
        self.page[:8] = struct.pack("q", offset)

    def jump(self, generator):
        now = int(time.time())
        moved = self.offset + generator.choice([-1, 1]) * generator.choice(JUMPS)
        offset = generator.choice([0, moved, moved, moved, FIRST - now, LAST - now])
        self.set(min(max(offset, FIRST - now), LAST - now))

    @contextlib.contextmanager
    def unsteady(self, generator):
        """Jumps every few milliseconds, in the middle of commands."""
        stopped = threading.Event()

        def jump():
            while not stopped.wait(generator.uniform(0.001, 0.02)):
                self.jump(generator)
        thread = threading.Thread(target=jump)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()

    def text(self):
        return f"{self.offset / DAY:+.1f} days"


class Host:
    def __init__(self, command, environment):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        self.pending = b""

    def ask(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed(f"'{line}': {self.end()}") from None
        deadline = time.monotonic() + PATIENCE
        while b"\n" not in self.pending:
            if not self.selector.select(max(0, deadline - time.monotonic())):
                self.process.kill()
                raise Failed(f"'{line}' has no answer within {PATIENCE} s")
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                raise Failed(f"'{line}': {self.end()}")
            self.pending += more
        answer, self.pending = self.pending.split(b"\n", 1)
        return json.loads(answer)

    def end(self):
        _, errors = self.process.communicate(timeout=PATIENCE)
        return f"exit status {self.process.returncode}: {errors.decode(errors='replace')[-2_000:]}"

    def finish(self):
        self.process.stdin.close()
        self.process.stdin = None
        text = self.end()
        if self.process.returncode not in (0, 1, 4):
            raise Failed(text)


class Story:
    """Commands to a host, and what has to be there."""

    def __init__(self, host, generator, clock, names):
        self.host, self.generator, self.clock, self.names = host, generator, clock, names
        self.commands = self.ended = 0

    def ask(self, line):
        self.commands += 1
        reply = self.host.ask(line)
        code = None if reply["ok"] else reply["error"]["code"]
        if code and code not in ENDED:
            raise Failed(f"'{line}' failed with the clock at {self.clock.text()}: {reply['error']}")
        self.ended += line == "session" and reply["result"].get("signedIn") is False
        return reply

    def sign_in(self):
        reply = self.ask(f"session sign-in --email {EMAIL} --password '{PASSWORD}'")
        if not reply["ok"]:
            raise Failed(f"the sign-in failed with the clock at {self.clock.text()}: {reply['error']}")
        if self.ask("session")["result"].get("email") != EMAIL:
            raise Failed(f"nobody is signed in after the sign-in, with the clock at {self.clock.text()}")

    def step(self, number):
        name = f"name{number}"
        with self.clock.unsteady(random.Random(number)) if self.generator.random() < 0.3 else contextlib.nullcontext():
            for _ in range(3):
                self.ask(self.generator.choice(COMMANDS))
            self.ask(f"entities create --name {name}")
            if EXTRA.exists() and self.generator.random() < 0.1:
                self.ask(f"module add '{EXTRA}'")
                self.ask("module remove Catalog")
        self.names.append(name)
        rows = self.ask(f"entities list --size 500 --search {name}")["result"]["rows"]
        if name not in {row["name"] for row in rows}:
            raise Failed(f"the new entity is not found with the clock at {self.clock.text()}")
        if self.generator.random() < 0.3:
            self.sign_in()
            reply = self.ask("profile/edit submit --firstName Ada --lastName Lovelace --age 36")
            if not reply["ok"]:
                raise Failed(f"the profile fails after a sign-in at {self.clock.text()}: {reply['error']}")


def torture(command, clock, generator, jumps, deadline):
    clock.set(0)
    names, commands, ended, hosts, number = [], 0, 0, 0, 0
    signs_up = True
    while number < jumps and time.monotonic() < deadline:
        # Each start sees the data of another time.
        story = Story(Host(command, clock.environment), generator, clock, names)
        hosts += 1
        if signs_up:
            story.ask(f"session sign-up --email {EMAIL} --password '{PASSWORD}'")
            signs_up = False
        for _ in range(generator.randint(3, 25)):
            clock.jump(generator)
            story.step(number)
            number += 1
        rows, page = set(), 1
        while True:
            result = story.ask(f"entities list --size 500 --page {page}")["result"]
            rows |= {row["name"] for row in result["rows"]}
            page += 1
            if not result["hasMore"]:
                break
        if missing := set(names) - rows:
            raise Failed(f"{len(missing)} entities are missing: {sorted(missing)[:5]}")
        commands += story.commands
        ended += story.ended
        story.host.finish()
    return f"{number} jumps, {hosts} starts, {commands} commands, {ended} found the session ended, none lost"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", type=pathlib.Path, default=RELEASE / "atrium")
    parser.add_argument("--modules", type=pathlib.Path, default=RELEASE)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--jumps", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin nothing after this time")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="atrium-") as path:
        folder = pathlib.Path(path)
        configuration = folder / "modules.json"
        configuration.write_text(json.dumps({
            "searchPaths": [str(options.modules.absolute())],
            "modules": [{"name": name} for name in ("Session", "UserProfile", "Entities")]}))
        command = [options.host.absolute(), "--json", "--yes", "--keep-going", "--data", folder / "data", "--config",
                   configuration]
        try:
            told = torture(command, Clock(folder), random.Random(options.seed), options.jumps,
                           time.monotonic() + options.seconds)
        except Failed as failure:
            print(f"seed {options.seed}: {failure}")
            return 1
    print(f"seed {options.seed}: {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
