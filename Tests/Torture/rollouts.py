#!/usr/bin/env python3
"""Takes a module to three hosts of a PostgreSQL database, one of which can't be reached.

    Tests/Torture/rollouts.py [--host FILE] [--modules DIR] [--fixture PROGRAM]

Three groups at once: the third host is stopped before the rollout; it is killed while it takes the build; it is killed
and the rollout told to go on (`--skip-unreachable`). In the first two the command fails and names it, and all hosts
have the former build; in the last one it names it, the others have the new build, and it takes it when it is back.
With all hosts there the rollout succeeds. Prints the figures; prints what fails and exits 1 if anything does.
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import faults
from faults import ROOT, Failed
from servers import Database, ServingHost, until

TOOLS = ROOT / "Tests" / "Transcripts"
FORMER, NEXT = "1.0.0", "1.1.0"
LIMIT = 300
"""The time limit for a rollout, in seconds; half a minute is what a host is waited for."""
ROLLOUT = "module rollout Checked --key '{key}' --wait 0.1"


class Group:
    """Three hosts of a database."""

    def __init__(self, options, folder, url):
        folder.mkdir()
        self.key = folder.parent / "ada.key"
        self.hosts = [ServingHost(options.host, folder.parent / "modules.json", folder / name, url)
                      for name in ("one", "two", "three")]
        self.one, self.two, self.three = self.hosts

    def open(self):
        for host in self.hosts:
            host.start()
            until(lambda host=host: self.build(host) == FORMER, f"{host.name} has {FORMER}")
        until(lambda: all(host.name in self.one.run("hosts").stdout for host in self.hosts), "all hosts have joined")

    def close(self):
        for host in self.hosts:
            host.close()

    @staticmethod
    def build(host):
        """The build of the module that a host has; None if it does not answer."""
        run = host.run("marks --json")
        return json.loads(run.stdout)["result"]["build"] if run.returncode == 0 else None

    def start(self, *words):
        """Begins the rollout at host one."""
        line = " ".join([ROLLOUT.format(key=self.key), *words])
        return subprocess.Popen([self.one.executable, "attach", "--data", self.one.folder, "-c", line], text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def finish(self, process, succeeds):
        """Waits for the rollout; returns what it printed, and the seconds."""
        began = time.monotonic()
        try:
            output = process.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failed(f"the rollout does not end within {LIMIT} s: {process.communicate()[0]}") from None
        if (process.returncode == 0) != succeeds:
            raise Failed(f"the rollout ends with {process.returncode}: {output}")
        return output, time.monotonic() - began

    def check(self, output, wanted, build, *hosts):
        if wanted not in output:
            raise Failed(f"the rollout does not say '{wanted}': {output}")
        if (builds := [self.build(host) for host in hosts]) != [build] * len(hosts):
            raise Failed(f"the hosts have {builds}, not {build}: {output}")

    def stopped(self):
        self.three.process.send_signal(signal.SIGSTOP)
        try:
            output, took = self.finish(self.start(), False)
            self.check(output, "three can't be reached", FORMER, self.one, self.two)
        finally:
            self.three.process.send_signal(signal.SIGCONT)
        time.sleep(1)
        self.check(output, "", FORMER, *self.hosts)
        self.succeed()
        return f"stopped: named, and all back, after {took:.0f} s; then all have it"

    def killed(self):
        process = self.start("--batch 1")
        until(lambda: "three  taking" in self.one.run("module rollout 1 --columns host,state").stdout,
              "three takes the build")
        self.three.close()
        output, took = self.finish(process, False)
        self.check(output, "three can't be reached", FORMER, self.one, self.two)
        self.three.start()
        until(lambda: self.build(self.three) == FORMER, "three is back with the former build")
        self.succeed()
        return f"killed while it takes the build: named, and all back, after {took:.0f} s; then all have it"

    def skipped(self):
        self.three.process.send_signal(signal.SIGSTOP)
        output, took = self.finish(self.start("--skip-unreachable"), True)
        self.three.close()
        self.check(output, "All other hosts have Checked 1.1.0; three takes it", NEXT, self.one, self.two)
        self.three.start()
        until(lambda: self.build(self.three) == NEXT, "three takes the build when it is back")
        return f"skipped: named after {took:.0f} s, and it takes the build when it is back"

    def succeed(self):
        self.check(self.finish(self.start(), True)[0], "All hosts have Checked 1.1.0.", NEXT, *self.hosts)


def sign(*words):
    """Signs a file, or writes the key; returns the public one."""
    return subprocess.run(
        [TOOLS / "sign", "Ada", *words], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def prepare(options, folder):
    """Makes the signed builds, their repository and the configuration."""
    for fixture, place in (("checked-1", "lib"), ("checked-2", "next")):
        subprocess.run([options.fixture, fixture, folder / place], check=True, stdin=subprocess.DEVNULL)
    shutil.copy(options.modules / "libPostgreSQL.so", folder / "lib")
    key = sign("--key", folder / "ada.key")
    for place in (folder / "lib", folder / "next"):
        place.chmod(0o755)
        for library in place.glob("*.so"):
            library.chmod(0o644)
            sign(library)
    subprocess.run([options.host, "repository", "index", folder / "next", "--key", folder / "ada.key"], check=True,
                   stdout=subprocess.DEVNULL)
    (folder / "modules.json").write_text(json.dumps({
        "searchPaths": [str(folder / "lib")], "repositories": [str(folder / "next")],
        "trust": {"policy": "signed", "keys": [key]}, "modules": [{"name": "Checked"}, {"name": "PostgreSQL"}]}))


def run(options, folder):
    prepare(options, folder)
    database = Database(folder / "server")

    def part(name):
        database.sql(f"CREATE DATABASE {name}")
        group = Group(options, folder / name, database.url.replace("/atrium?", f"/{name}?"))
        try:
            group.open()
            return getattr(group, name)(), False
        except Failed as failure:
            return f"{name}: {failure}", True
        finally:
            group.close()

    try:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            return list(pool.map(part, ("stopped", "killed", "skipped")))
    finally:
        database.call("kill")


def main():
    parser = faults.parser(__doc__)
    parser.add_argument("--fixture", type=pathlib.Path, default=TOOLS / "fixture",
                        help="the program that builds the modules")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="atrium-rollouts-") as name:
        folder = pathlib.Path(name)
        os.chmod(folder, 0o755)
        results = run(options, folder)
    for text, has_failed in results:
        if has_failed:
            print(text)
    told = [text for text, has_failed in results if not has_failed]
    failed = len(results) - len(told)
    print("; ".join([*told, f"{failed} of {len(results)} failed"]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
