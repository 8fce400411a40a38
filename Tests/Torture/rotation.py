#!/usr/bin/env python3
"""Starts many short scripts at once on one data folder, with expired tokens, over a server that rotates strictly.

    Tests/Torture/rotation.py [--host FILE] [--modules DIR] [--seed N] [--rounds N] [--scripts N]

A refresh token works once; a second use ends the session. Each script gets its right answers, and the user stays
signed in. Prints the totals; prints the first failure and exits 1 if there is one.
"""

import argparse
import contextlib
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / ".build" / "release"
EMAIL, PASSWORD = "ada@example.com", "correct horse"
LIFE = 2
"""How long an access token lives, in seconds."""
PATIENCE = 60
"""The timeout of a script, in seconds."""
ANSWERS = {
    "session": lambda result: result["email"] == EMAIL,
    "profile": lambda result: result.get("firstName") == "Ada",
    "entities list --size 1": lambda result: result["total"] == 46,
}
"""Commands, and whether the result of each is right."""


class Failed(Exception):
    pass


class Server:
    def __init__(self, life=LIFE):
        self.process = subprocess.Popen(
            [sys.executable, ROOT / "Demos/server/server.py", "--port", "0", "--faults", "--seed", "--quiet",
             "--access-life", str(life), "--refresh-grace", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[-1]

    def expire(self):
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/_expire", method="POST"), timeout=30).close()

    def renewals(self):
        with urllib.request.urlopen(f"{self.url}/_stats", timeout=30) as answer:
            return json.load(answer)["tokens"].get("refresh", 0)

    def close(self):
        self.process.terminate()
        self.process.wait()


def check(commands, output, errors, status):
    """Fails unless each command of a script has its right result."""
    replies = [json.loads(line) for line in output.splitlines()]
    if status or len(replies) != len(commands):
        raise Failed(f"'{'; '.join(commands)}' ended with exit status {status}: {output}{errors}")
    for command, reply in zip(commands, replies):
        if not reply["ok"] or not ANSWERS[command](reply["result"]):
            raise Failed(f"'{command}' has a wrong answer: {reply}")


def together(command, scripts):
    """Runs scripts at once, and checks the answers of each."""
    running = [
        (commands, subprocess.Popen([*command, "-c", "; ".join(commands)], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        for commands in scripts]
    # All of them end before the first is checked, so that none is left behind a failure.
    ended = [(commands, *process.communicate(timeout=PATIENCE), process.returncode) for commands, process in running]
    for run in ended:
        check(*run)


def torture(command, server, generator, rounds, count, deadline):
    signing_in = [*command, "-c", f"session sign-in --email {EMAIL} --password '{PASSWORD}'"]
    subprocess.run(signing_in, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=PATIENCE)
    number, scripts = 0, 0
    while number < rounds and time.monotonic() < deadline:
        # The host knows of the one, and only the server of the other.
        if number % 2:
            time.sleep(LIFE)
        else:
            server.expire()
        before = server.renewals()
        try:
            together(command, [generator.sample(list(ANSWERS), generator.randint(1, 3)) for _ in range(count)])
            together(command, [list(ANSWERS)])
        except Failed as failure:
            raise Failed(f"round {number}: {failure}") from failure
        if server.renewals() == before:
            raise Failed(f"round {number}: no script renewed the expired tokens")
        number += 1
        scripts += count
    return f"{number} rounds, {scripts} scripts, {server.renewals()} renewals, nobody was signed out"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", type=pathlib.Path, default=RELEASE / "atrium")
    parser.add_argument("--modules", type=pathlib.Path, default=RELEASE)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--scripts", type=int, default=20, help="how many are started at once")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin nothing after this time")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="atrium-") as path, contextlib.closing(Server()) as server:
        folder = pathlib.Path(path)
        configuration = folder / "modules.json"
        configuration.write_text(json.dumps({
            "searchPaths": [str(options.modules.absolute())],
            "modules": [{"name": name} for name in ("Session", "UserProfile", "Entities", "HTTPTransport")]}))
        command = [options.host.absolute(), "--json", "--data", folder / "data", "--config", configuration, "--env",
                   "live", "--api", server.url]
        try:
            told = torture(command, server, random.Random(options.seed), options.rounds, options.scripts,
                           time.monotonic() + options.seconds)
        except Failed as failure:
            print(f"seed {options.seed}: {failure}")
            return 1
    print(f"seed {options.seed}: {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
