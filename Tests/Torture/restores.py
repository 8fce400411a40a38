#!/usr/bin/env python3
"""Ends 'atrium restore' at every call that changes a file, by SIGKILL and by a full disk.

    Tests/Torture/restores.py [--host FILE] [--modules DIR] [--sample N]

Afterwards the data folder is the former or the restored one, whole; a restore that is tried again succeeds, and the
former data are still there. Prints a line for each fault, and the totals; exits 1 if there is a fault.
"""

import pathlib
import shutil
import sys
import tempfile

import faults
from faults import Failed

FILES = ("Entities.sqlite", "Session.sqlite", "session-local.json", "files/Notes/note")
"""Files of the data folder that must all be of one time; others may change with each start."""


class Restore:
    def __init__(self, options, folder):
        self.host = faults.Host(options.host, folder, {
            "searchPaths": [str(options.modules)], "modules": [{"name": "Session"}, {"name": "Entities"}]})
        self.backup, self.before = folder / "backup", folder / "former"
        self.fill("earlier")
        if (run := self.host.run("backup", self.backup)).returncode != 0:
            raise Failed(f"no backup: {run.stderr}")
        self.fill("later")
        shutil.copytree(self.host.data, self.before, symlinks=True)
        self.former = self.contents(self.before)
        if (run := self.host.run("restore", self.backup)).returncode != 0:
            raise Failed(f"no restore: {run.stderr}")
        self.restored = self.contents(self.host.data)
        if self.restored == self.former:
            raise Failed("the restore changed nothing")

    def fill(self, name):
        """Makes the data of one time."""
        run = self.host.run("-c", f"session sign-up --email {name}@example.com --password 'correct horse 9'; "
                                  f"entities create --name {name}")
        if run.returncode != 0:
            raise Failed(f"the data can't be made: {run.stderr}")
        note = self.host.data / "files" / "Notes" / "note"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(name)

    def contents(self, folder):
        return {name: (folder / name).read_bytes() if (folder / name).exists() else None for name in FILES}

    def attempt(self, fault):
        """Restores with a fault, and again without."""
        self.host.renew(self.before)
        run = self.host.run("restore", self.backup, fault=fault)
        now = self.contents(self.host.data)
        if now not in (self.former, self.restored):
            raise Failed(f"the folder is neither the former nor the restored one: {run.stderr}")
        if run.returncode == 0:
            if now != self.restored:
                raise Failed("it succeeded, and the folder is the former one")
            return
        if fault[0] == "full":
            if run.returncode < 0 or "error: " not in run.stderr or now != self.former:
                raise Failed(f"exit status {run.returncode}: {run.stderr}")
            if len(left := list(self.host.folder.glob("data*"))) != 1:
                raise Failed(f"it left {left}")
        again = self.host.run("restore", self.backup)
        if again.returncode != 0 or self.contents(self.host.data) != self.restored:
            raise Failed(f"the next restore fails: {again.stderr}")
        if self.former not in map(self.contents, self.host.folder.glob("data.before-restore-*")):
            raise Failed("the former data are lost by the next restore")
        run = self.host.run("-c", "entities")
        if run.returncode != 0 or run.stderr or "earlier" not in run.stdout:
            raise Failed(f"the host does not start: {run.stderr}{run.stdout}")


def main():
    parser = faults.parser(__doc__)
    parser.add_argument("--sample", type=int, metavar="N", help="the number of calls with a fault, of each kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="atrium-") as folder:
        restore = Restore(options, pathlib.Path(folder))
        told, broken = restore.host.each_call(restore.attempt, sample=options.sample)
    print(f"{told}: " + (f"{broken} faults" if broken else "nothing lost"))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
