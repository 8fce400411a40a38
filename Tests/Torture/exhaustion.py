#!/usr/bin/env python3
"""Takes descriptors, threads, addresses and space from the built host, at its start and under 64 clients.

    Tests/Torture/exhaustion.py [--host FILE] [--modules DIR] [--short] [STEP …]

Every front end ends with an exit code and a sentence within a second, or serves; a host that runs answers its clients
within two, or refuses them by name, and serves as before once it has again what was taken. On a busy machine, --patience
gives more time. Prints each step, and the totals; exits 1 if one
failed. Disks and threads need root.
"""

import json
import os
import pathlib
import subprocess
import sys
import threading
import time

from fronts import CREATE, FRONTS, INITIALIZE, PATIENCE, Run, chosen, main
import process  # of Tests/Process, which fronts finds
import serving
from disk import Disk
from process import HANGS, NOBODY, greet
from serving import Refused, expect, expect_equal, expect_healthy, until


# At start

def few_descriptors_are_told(host):
    expect_told(host, "nofile", chosen(host, range(3, 65), 8))


def few_addresses_are_told(host):
    expect_told(host, "as", [count * 1_000_000 for count in chosen(host, range(100, 401, 20), 5)])


def few_threads_are_told(host):
    as_nobody(host)
    expect_told(host, "nproc", chosen(host, range(1, 13), 5))


def expect_told(host, name, values):
    for front in FRONTS:
        if front == "attach":
            host.start()
        count(host, front, {value: Run(host, front, ("prlimit", f"--{name}={value}")) for value in values}, f"--{name}=")


def full_disks_are_told(host):
    disk = Disk(host.folder / "disk")
    disk.path.mkdir()
    host.data = str(disk.path / "data")
    for front in list(FRONTS)[:-1]:
        runs = {}
        for size in chosen(host, [4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096], 2):
            for kind in ("empty", "filled"):
                disk.mount(size if kind == "empty" else 8_192)
                try:
                    if kind == "filled":
                        host.run("-c", "where; entities create --name first")
                        fill(disk, size - 4)
                    runs[f"{size} KiB, {kind}"] = Run(host, front, line=CREATE)
                finally:
                    disk.unmount()
        count(host, front, runs, "a disk of ")


def fill(disk, left=0):
    """Leaves so many KiB."""
    block, written = b"x" * 4096, 0
    with open(disk.path / "filler", "wb", buffering=0) as file:
        try:
            while True:
                written += file.write(block)
        except OSError:
            file.truncate(max(0, written - left * 1024))


def count(host, front, runs, what):
    for value, run in runs.items():
        run.expect_told(f"{front} with {what}{value}")
        expect(run.code == 0 or run.seconds < host.options.patience, f"{front} with {what}{value}: {run.seconds:.1f} s")
    codes = [run.code for run in runs.values()]
    print(f"  {front}: " + ", ".join(f"{codes.count(code)} x {code}" for code in sorted(set(codes)))
          + f", the slowest {max(run.seconds for run in runs.values()):.1f} s", flush=True)


# Under clients

class Clients:
    """Clients that do one command after the other, and what each of them met."""

    def __init__(self, host, number=60):
        """60 leave room for the four that `expect_working` connects: a host serves 64."""
        self.ends, self.longest, self.patience = threading.Event(), 0, host.options.patience
        self.problems, self.codes, self.made, self.threads = [], [], set(), []
        for index in range(number):
            try:
                client = host.attach()
            except Refused as refused:
                self.codes.append(refused.data["code"])
                continue
            self.threads.append(threading.Thread(target=self.talk, args=(index, client), daemon=True))
            self.threads[-1].start()

    def talk(self, number, client):
        try:
            with client:
                for index in range(1_000_000):
                    for line in ("where", "entities list", f"entities create --name c{number}n{index}", "source part"):
                        if self.ends.wait(0.02):
                            return
                        self.ask(client, line)
        except Exception as problem:  # pylint: disable=broad-exception-caught
            self.problems.append(f"client {number}: {problem!r}")

    def ask(self, client, line):
        start = time.monotonic()
        reply = client.run(line)[0]
        self.longest = max(self.longest, time.monotonic() - start)
        if reply["ok"]:
            self.made.update(line.split()[3:])
        else:
            expect(reply["error"]["code"] and reply["error"]["message"], reply)
        self.codes.append("ok" if reply["ok"] else reply["error"]["code"])

    def served(self):
        return sum(thread.is_alive() for thread in self.threads)

    def stop(self, what):
        self.ends.set()
        for thread in self.threads:
            thread.join(HANGS)
        expect(not self.served(), f"{what}: {self.served()} clients wait for ever")
        expect(not self.problems, f"{what}: {len(self.problems)} clients: {self.problems[:3]}")
        expect(self.longest < 2 * self.patience, f"{what}: a client waited {self.longest:.1f} s")
        found = ", ".join(f"{self.codes.count(code)} x {code}" for code in sorted(set(self.codes)))
        print(f"  {what}: {found}; the longest wait {self.longest:.2f} s", flush=True)


def as_nobody(host):
    """The kernel counts no threads of root's; the host answers its own user only."""
    process.as_nobody(host)

    def by_nobody(function):
        def call(*words, **settings):
            os.seteuid(NOBODY)
            try:
                return function(*words, **settings)
            finally:
                os.seteuid(0)
        return call
    if os.geteuid() == 0:
        host.attach, host.connect = by_nobody(host.attach), by_nobody(host.connect)


def limits_at_start_refuse_clients_by_name(host):
    limits = [("nofile", value) for value in chosen(host, range(48, 129, 8), 3)]
    limits += [("as", value * 1_000_000) for value in chosen(host, range(260, 401, 20), 2)]
    work_with_limits(host, limits)


def threads_at_start_refuse_clients_by_name(host):
    as_nobody(host)
    work_with_limits(host, [("nproc", value) for value in chosen(host, range(32, 65, 4), 2)])


def work_with_limits(host, limits):
    (host.folder / "part").write_text("where\n")
    plain = host.command
    for name, value in limits:
        host.command = lambda *words: ["prlimit", f"--{name}={value}", *plain(*words)]
        host.start()
        host.command = plain
        clients = Clients(host, 64)
        time.sleep(1 if host.options.short else 3)
        expect(clients.served(), f"--{name}={value}: no client at all: {clients.codes} {clients.problems[:3]}")
        clients.stop(f"--{name}={value}")
        expect({"ok"} < set(clients.codes) or value > 60, f"--{name}={value} was no limit")
        until("room", lambda: serving.can_attach(host))
        expect_equal(host.stop(), 0, f"--{name}={value}: the exit code")


def limits_while_running(host):
    lower_under_clients(host, "nofile", lambda: descriptors(host), (3, -20, -55))
    lower_under_clients(host, "as", lambda: addresses(host), (64 << 20, 16 << 20, 4 << 20))


def few_descriptors_while_running(host):
    lower_under_clients(host, "nofile", lambda: 8, (0,))


def descriptors(host):
    return len(os.listdir(f"/proc/{host.process.pid}/fd"))


def addresses(host):
    return int(pathlib.Path(f"/proc/{host.process.pid}/statm").read_text().split()[0]) * 4096


def threads(host):
    return len(os.listdir(f"/proc/{host.process.pid}/task"))


def threads_while_running(host):
    as_nobody(host)
    lower_under_clients(host, "nproc", lambda: threads(host), (2, 0, -20))


def lower_under_clients(host, name, use, differences):
    """Lowers a limit to about what the host uses, several times, and lifts it again."""
    (host.folder / "part").write_text("where\n")
    host.start()
    clients = Clients(host)
    until("60 clients", lambda: clients.codes.count("ok") > 240, HANGS)
    for difference in differences:
        value = use() + difference
        what = f"{name} lowered to {value}"
        set_limit(host, name, value)
        refused = expect_working(host, clients, what)
        set_limit(host, name, {"nofile": 1_024, "nproc": 4_096, "as": "unlimited"}[name])
        until(f"room after {what}", lambda: serving.can_attach(host))
    expect(refused, f"{what} was no limit")
    clients.stop(f"{name} lowered")
    expect_made(host, clients)
    expect_equal(host.stop(), 0, "the exit code")


def set_limit(host, name, value):
    """The soft one, as the host's user where the kernel wants that."""
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if name == "nproc" and os.geteuid() == 0 else {}
    subprocess.run(["prlimit", "--pid", str(host.process.pid), f"--{name}={value}:"], check=True, **user)


def expect_working(host, clients, what):
    """Returns how many of four new clients are refused, by name."""
    time.sleep(0.5 if host.options.short else 2)
    expect(host.process.poll() is None, f"{what}: the host ended with {host.process.poll()}")
    refused = 0
    connections = [host.connect() for _ in range(4)]
    for connection in connections:
        connection.settimeout(PATIENCE)
        try:
            message = greet(connection)
        except OSError as problem:
            message = problem
        if not isinstance(message, dict):
            time.sleep(1)  # a process that dumps its memory still runs
        ended = "runs" if host.process.poll() is None else f"ended with {host.process.poll()}"
        expect(isinstance(message, dict), f"{what}: a new client got no word: {message!r}; the host {ended}")
        expect("result" in message or message["error"]["data"]["code"] == "tooManyClients", f"{what}: {message}")
        connection.close()
        refused += "error" in message
    for words in (["-c", "where"], ["backup", "made"], ["-c", "entities export made.csv --replace"], ["mcp"]):
        done = host.run(*words, lines=INITIALIZE)
        expect(done.returncode in range(5), f"{what}, {words}: {done.returncode} {done.stderr}")
        expect(done.returncode == 0 or done.stderr.strip(), f"{what}, {words}: {done.returncode} without a word")
    expect(host.process.poll() is None, f"{what}: the host ended with {host.process.poll()}")
    expect(not clients.problems, f"{what}: {clients.problems[:3]}")
    return refused


def expect_made(host, clients):
    """What was acknowledged is there."""
    rows = host.run("-c", "entities export - --format jsonl").stdout.splitlines()
    names = {json.loads(row)["name"] for row in rows if row.startswith("{")}
    expect(clients.made and clients.made <= names, f"{len(clients.made - names)} of {len(clients.made)} are lost")


def a_full_disk_while_running(host):
    disk = Disk(host.folder / "disk")
    disk.path.mkdir()
    disk.mount(16_384)
    try:
        host.data = str(disk.path / "data")
        host.socket = pathlib.Path(host.data) / "host.sock"
        (host.folder / "part").write_text("where\n")
        host.start()
        clients = Clients(host)
        until("60 clients", lambda: clients.codes.count("ok") > 120, HANGS)
        for left in (64, 4, 0):
            fill(disk, left)
            expect_working(host, clients, f"{left} KiB left")
        (disk.path / "filler").unlink()
        expect(len(set(clients.codes)) > 1, "the disk was not full")
        expect_healthy(host)
        clients.stop("a full disk")
        expect_made(host, clients)
        expect_equal(host.stop(), 0, "the exit code")
    finally:
        disk.unmount()


STEPS = [few_descriptors_are_told, few_addresses_are_told, limits_at_start_refuse_clients_by_name, limits_while_running,
         few_descriptors_while_running]
ROOTS = [few_threads_are_told, full_disks_are_told, threads_at_start_refuse_clients_by_name, threads_while_running,
         a_full_disk_while_running]

if __name__ == "__main__":
    sys.exit(main(__doc__, STEPS, ROOTS))
