#!/usr/bin/env python3
"""Ends 'atrium restore' at every call that changes a file, by SIGKILL and by a full disk.

    Tests/Torture/restores.py [--host FILE] [--modules DIR]

Afterwards the data folder is the former or the restored one, whole; a restore that is tried again succeeds, and the
former data are still there. Prints the totals; prints the first failure and exits 1 if there is one.
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
FAULT = pathlib.Path(__file__).resolve().parent / "fault.c"
FILES = ("Entities.sqlite", "Session.sqlite", "session-local.json", "files/Notes/note")
"""Files of the data folder that must all be of one time; others may change with each start."""


class Failed(Exception):
    """A promise of the restore was broken."""


class Restore:
    def __init__(self, executable, modules, folder):
        self.folder = folder
        self.data = folder / "data"
        configuration = folder / "modules.json"
        configuration.write_text(json.dumps({
            "searchPaths": [str(modules)], "modules": [{"name": "Session"}, {"name": "Entities"}]}))
        self.command = [executable, "--config", configuration, "--data", self.data]
        self.library = folder / "fault.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.library, FAULT, "-ldl"], check=True)

    def host(self, *arguments, **fault):
        environment = {**os.environ, **({"LD_PRELOAD": str(self.library)} if fault else {}),
                       **{f"ATRIUM_{name.upper()}": str(value) for name, value in fault.items()}}
        return subprocess.run([*self.command, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env=environment, timeout=60)

    def fill(self, name):
        """Makes the data of one time."""
        run = self.host("-c", f"session sign-up --email {name}@example.com --password 'correct horse 9'; "
                              f"entities create --name {name}")
        if run.returncode != 0:
            raise Failed(f"the data can't be made: {run.stderr}")
        note = self.data / "files" / "Notes" / "note"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(name)

    def contents(self, folder):
        return {name: (folder / name).read_bytes() if (folder / name).exists() else None for name in FILES}

    def prepare(self):
        """Makes a backup of earlier data, and keeps the later ones as `former`."""
        self.fill("earlier")
        if (run := self.host("backup", self.folder / "backup")).returncode != 0:
            raise Failed(f"no backup: {run.stderr}")
        self.restored = None
        self.fill("later")
        shutil.copytree(self.data, self.folder / "former", symlinks=True)
        self.former = self.contents(self.folder / "former")
        self.begin()
        if (run := self.host("restore", self.folder / "backup")).returncode != 0:
            raise Failed(f"no restore: {run.stderr}")
        self.restored = self.contents(self.data)
        if self.restored == self.former:
            raise Failed("the restore changed nothing")

    def begin(self):
        for path in self.folder.glob("data*"):
            shutil.rmtree(path)
        shutil.copytree(self.folder / "former", self.data, symlinks=True)

    def fault(self, kind, number):
        """Restores with a fault; returns whether it came before the end."""
        self.begin()
        run = self.host("restore", self.folder / "backup", fault=kind, fault_at=number)
        if run.returncode == 0:
            return False
        now = self.contents(self.data)
        if now not in (self.former, self.restored):
            raise Failed(f"the folder is neither the former nor the restored one: {run.stderr}")
        if kind == "full":
            if run.returncode < 0 or "error: " not in run.stderr or now != self.former:
                raise Failed(f"exit status {run.returncode}: {run.stderr}")
            if len(left := list(self.folder.glob("data*"))) != 1:
                raise Failed(f"it left {left}")
        again = self.host("restore", self.folder / "backup")
        if again.returncode != 0 or self.contents(self.data) != self.restored:
            raise Failed(f"the next restore fails: {again.stderr}")
        if self.former not in [self.contents(path) for path in self.folder.glob("data.before-restore-*")]:
            raise Failed("the former data are lost by the next restore")
        if (run := self.host("-c", "entities")).returncode != 0 or run.stderr or "earlier" not in run.stdout:
            raise Failed(f"the host does not start: {run.stderr}{run.stdout}")
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", type=pathlib.Path, default=RELEASE / "atrium")
    parser.add_argument("--modules", type=pathlib.Path, default=RELEASE)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="atrium-") as folder:
        restore = Restore(options.host.absolute(), options.modules.absolute(), pathlib.Path(folder))
        numbers = {}
        for kind in ("kill", "full"):
            number = 1
            try:
                if number == 1 and kind == "kill":
                    restore.prepare()
                while restore.fault(kind, number):
                    number += 1
            except Failed as failure:
                print(f"{kind} at call {number}: {failure}")
                return 1
            numbers[kind] = number - 1
    print(", ".join(f"{kind} at {number} calls" for kind, number in numbers.items()) + ": nothing lost")
    return 0 if all(numbers.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
