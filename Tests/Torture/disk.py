#!/usr/bin/env python3
"""Runs the built host on full disks of many sizes, and on one that can't be written.

    Tests/Torture/disk.py [--host FILE] [--modules DIR]

Every command that can't be performed must fail, no signal may end the host, and everything that was acknowledged
must be there once the disk has space again. Needs root for disks in memory. Prints a line for each fault, and the
totals; exits 1 if there is a fault.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

RELEASE = pathlib.Path(__file__).resolve().parents[2] / ".build" / "release"
SIZES = [4, 8, 16, 32, 64, *range(100, 4000, 200), *range(4000, 5200, 60)]
"""In KiB: from a disk too small for the data folder's marker to one with space for everything."""
FULL = 64 << 10
EMAIL = "ada@example.com"
LINES = [
    f"session sign-up --email {EMAIL} --password 'correct horse 9'",
    "profile/edit submit --firstName Ada --lastName Lovelace --age 36",
    *(f"entities create --name name{number} --notes '{'x' * 1500}'" for number in range(30)),
    "open entities", "open entities/new", "entities/1 set category seats", "module update --watch on",
]


class Disk:
    """A disk in memory, mounted in a namespace of this process."""

    def __init__(self, path):
        self.path = path

    def mount(self, size):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", self.path], check=True)

    def remount(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.path], check=True)

    def unmount(self):
        subprocess.run(["umount", "-l", self.path], check=True)


class Host:
    def __init__(self, executable, modules, folder, data):
        configuration = folder / "modules.json"
        configuration.write_text(json.dumps({
            "searchPaths": [str(modules)],
            "modules": [{"name": name} for name in ("Session", "UserProfile", "Entities")]}))
        self.command = [executable, "--json", "--yes", "--keep-going", "--data", data, "--config", configuration]

    def run(self, lines):
        run = subprocess.run(self.command, input="".join(f"{line}\n" for line in lines), capture_output=True,
                             text=True, timeout=60)
        return [json.loads(line) for line in run.stdout.splitlines()], run.stderr.strip(), run.returncode


def faults(host, disk, size):
    disk.mount(size)
    try:
        replies, errors, status = host.run(LINES)
        if status < 0 or status not in (0, 1, 2, 3):
            return [f"exit status {status}: {errors[:300]}"], 0
        if status == 0 and not all(reply["ok"] for reply in replies):
            return [f"a command failed, but the exit status is 0: {errors[:300]}"], 0
        done = [reply["command"] for reply in replies if reply["ok"]]
        disk.remount(f"size={FULL}k")
        after, errors, status = host.run(["session", "profile", "entities list --size 500", "entities create --name later"])
        found = []
        if status not in (0, 1) or not after or not after[-1]["ok"]:
            return [f"with space again: exit status {status}: {errors[:300]} {after[-1:]}"], len(done)
        # A link whose module could not be loaded meanwhile waited for it.
        errors = "\n".join(line for line in errors.splitlines() if " is available now: open " not in line)
        if errors:
            found.append(f"with space again the host reports: {errors[:300]}")
        results = [reply.get("result", {}) for reply in after]
        if any(line.startswith("session") for line in done) and results[0].get("email") != EMAIL:
            found.append("the acknowledged sign-up is lost")
        if any(line.startswith("profile") for line in done) and results[1].get("firstName") != "Ada":
            found.append("the acknowledged profile is lost")
        names = {row["name"] for row in results[2].get("rows", [])}
        lost = [line.split()[3] for line in done if line.startswith("entities create") and line.split()[3] not in names]
        if lost:
            found.append(f"{len(lost)} acknowledged entities are lost")
        return found, len(done)
    finally:
        disk.unmount()


def read_only(host, disk):
    """Tests a read-only folder with data, and an empty one."""
    found = []
    for filled in (True, False):
        disk.mount(FULL)
        try:
            if filled:
                host.run(LINES)
            disk.remount("ro")
            replies, errors, status = host.run(["entities list", "entities create --name later", "open entities"])
            if status not in (1, 2) or (replies and any(reply["ok"] for reply in replies[1:2])):
                found.append(f"read-only, {'filled' if filled else 'empty'}: exit status {status}: {errors[:300]}")
            if "read-only" not in (errors + json.dumps(replies)).lower():
                found.append(f"read-only, {'filled' if filled else 'empty'}: does not say so: {errors[:300]} {replies}")
        finally:
            disk.unmount()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", type=pathlib.Path, default=RELEASE / "atrium")
    parser.add_argument("--modules", type=pathlib.Path, default=RELEASE)
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("not run: needs root for disks in memory")
        return 0
    if os.environ.get("ATRIUM_DISK_NAMESPACE") != "1":
        os.environ["ATRIUM_DISK_NAMESPACE"] = "1"
        os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])
    folder = pathlib.Path(tempfile.mkdtemp(prefix="atrium-"))
    mounted = folder / "disk"
    mounted.mkdir()
    disk = Disk(mounted)
    host = Host(options.host.absolute(), options.modules.absolute(), folder, mounted / "data")
    broken = acknowledged = 0
    for size in SIZES:
        found, done = faults(host, disk, size)
        acknowledged += done
        broken += bool(found)
        for fault in found:
            print(f"{size} KiB: {fault}", flush=True)
    host = Host(options.host.absolute(), options.modules.absolute(), folder, mounted)
    for fault in read_only(host, disk):
        broken += 1
        print(fault)
    shutil.rmtree(folder)
    print(f"{len(SIZES)} sizes and a read-only disk, {acknowledged} acknowledged commands, {broken} faults")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
