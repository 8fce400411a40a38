#!/usr/bin/env python3
"""Ends changes of a module with data at every call that changes a file, by SIGKILL and by a full disk.

    Tests/Torture/upgrades.py [--host FILE] [--fixture PROGRAM]

The module is Notes of Tests/Fixtures, with rows in its database. After each fault the host starts twice: both starts
have the module and its data before or after the change, never mixed, with all rows, and say the same; nothing is
left to settle. A command that succeeded took place; one that failed did not, and said why. Without a fault the command
works then. Prints a line for each fault, and the totals; exits 1 if there is a fault.
"""

import dataclasses
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import faults
from faults import COUNT, Failed

FIXTURE = faults.ROOT / "Tests" / "Transcripts" / "fixture"
BUILDS = {"1.0.0": ("notes-1", 1), "1.1.0": ("notes-2", 2)}
"""The versions of the module, each with its fixture and the version of its data."""
OTHER = "Plain"
"""A module without data, which stays."""
ROWS = ("milk", "tea")
TEMPORARY = ("change.json", ".atrium-new*", "copies/*.unfinished*")
"""What a change makes and removes again."""
COMPLETED = ("The next start completes the change", "stay migrated to version")
"""What a failure says if the change took place nevertheless."""


@dataclasses.dataclass(frozen=True)
class State:
    """The module's version, that of its data, and its rows."""
    module: str | None
    data: int
    rows: tuple

    def fault(self):
        """What does not fit; None if all does."""
        if self.module and BUILDS[self.module][1] != self.data:
            return f"Notes {self.module} has data of version {self.data}"
        return None

    def screen(self):
        """What the module shows."""
        return {"title": f"Notes {self.module}",
                "text": [row if self.data == 1 else f"{row} done 0" for row in self.rows]}


FIRST, SECOND = State("1.0.0", 1, ROWS), State("1.1.0", 2, ROWS)


@dataclasses.dataclass(frozen=True)
class Change:
    """A command, what is entered before it, and the states before and after."""
    command: str
    setup: tuple
    before: State
    after: State
    repeats: bool = True
    """Whether a later host can run it, too."""


CHANGES = [
    Change("module upgrade Notes", ("modules",), FIRST, SECOND),
    Change("module rollback Notes --restore-data", ("module upgrade Notes", "notes add late"),
           State("1.1.0", 2, (*ROWS, "late")), FIRST, repeats=False),
    Change("module remove Notes", ("modules",), FIRST, State(None, 1, ROWS)),
]


class Upgrades:
    def __init__(self, options, folder):
        self.repository, self.whole, self.copy = folder / "repository", folder / "whole", folder / "copy"
        self.host = faults.Host(options.host, folder, {"repositories": [str(self.repository)], "modules": []})
        self.repository.mkdir(mode=0o755)
        for name, library in ((OTHER.lower(), OTHER), *((name, "Notes") for name, _ in BUILDS.values())):
            subprocess.run([options.fixture, name, folder / name], check=True, stdin=subprocess.DEVNULL)
            target = self.repository / f"lib{name}.so"
            shutil.copy(folder / name / f"lib{library}.so", target)
            target.chmod(0o644)
        subprocess.run([options.host, "repository", "index", self.repository], check=True, stdout=subprocess.DEVNULL)
        self.enter(f"module install {OTHER}", "module install Notes@=1.0.0", *(f"notes add {row}" for row in ROWS))
        if (state := self.look()[0]) != FIRST:
            raise Failed(f"the data can't be made: {state}")
        shutil.copytree(self.host.data, self.whole, symlinks=True)

    def enter(self, *lines):
        run = self.host.run("--json", steps=lines)
        if run.returncode != 0 or run.stderr:
            raise Failed(f"'{lines[-1]}' fails: {run.stdout}{run.stderr}")

    def take(self):
        """Copies the database as it is now, before the module uses it."""
        shutil.rmtree(self.copy, ignore_errors=True)
        self.copy.mkdir()
        for path in self.host.data.glob("Notes.sqlite*"):
            shutil.copy(path, self.copy)

    def look(self):
        """Starts the host; returns the state, which was so before the module used its data, and the run."""
        run = self.host.run("--json", "--keep-going", steps=["modules", self.take, "notes"])
        if len(run.replies) != 2 or not run.replies[0]["ok"]:
            raise Failed(f"the host does not start: exit status {run.returncode}: {run.stderr}{run.stdout}")
        modules, notes = run.replies
        versions = {row["name"]: row["version"] for row in modules["result"]["rows"]}
        if OTHER not in versions:
            raise Failed(f"the next start has no {OTHER}: {run.stderr}{run.stdout}")
        version = versions.get("Notes")
        database = sqlite3.connect(self.copy / "Notes.sqlite")
        try:
            data = database.execute("PRAGMA user_version").fetchone()[0]
            rows = tuple(row for row, in database.execute("SELECT text FROM notes ORDER BY id"))
        except sqlite3.Error as error:
            raise Failed(f"the database can't be read: {error}; the host says {run.stderr}{run.stdout}") from None
        finally:
            database.close()
        state = State(version, data, rows)
        if fault := state.fault():
            raise Failed(f"{fault}: {run.stderr}{run.stdout}")
        shown = notes.get("result") if version else notes["error"]["code"]
        if shown != (state.screen() if version else "unknownCommand"):
            raise Failed(f"with {state} the module shows {shown}: {run.stderr}{run.stdout}")
        return state, run

    def left(self):
        return [str(path.relative_to(self.host.data)) for name in TEMPORARY for path in self.host.data.glob(name)]

    def attempt(self, change, fault):
        """Makes a change with a fault, starts twice, and makes it without."""
        self.host.renew(self.whole)
        run = self.host.run("--json", steps=[*change.setup, COUNT, change.command], fault=fault)
        replies = run.replies[len(change.setup):]
        if len(run.replies) < len(change.setup) or not all(reply["ok"] for reply in run.replies[:len(change.setup)]):
            raise Failed(f"what comes before it fails: {run.stdout}{run.stderr}")
        (state, first), (again, second) = self.look(), self.look()
        told = f"exit status {run.returncode}: {run.stderr}{''.join(map(str, replies))}"
        if state not in (change.before, change.after):
            raise Failed(f"the next start has {state}; {told}")
        if again != state or second.stdout != first.stdout or second.stderr:
            raise Failed(f"the second start differs: {again}, {second.stdout}{second.stderr}; the first: {state}, "
                         f"{first.stdout}{first.stderr}")
        if "change.json" in self.left():
            raise Failed("change.json is left")
        self.check_answer(change, run, replies, state, fault[0], told)
        if change.repeats and state == change.before:
            self.enter(change.command)
            state, _ = self.look()
            if state != change.after:
                raise Failed(f"made again, the next start has {state}")
            if left := self.left():
                raise Failed(f"made again, {left} is left")

    def check_answer(self, change, run, replies, state, kind, told):
        """Checks that exit code and sentence agree with what the next start has."""
        has_ended = kind == "kill" and run.returncode == -9
        if not has_ended and (run.returncode not in (0, 1, 2, 3) or not replies):
            raise Failed(told)
        succeeded = replies[0]["ok"] if replies else None
        if succeeded and state != change.after:
            raise Failed(f"it succeeded, and the next start has the former state; {told}")
        if succeeded is False and state != change.before and not any(text in told for text in COMPLETED):
            raise Failed(f"it failed, and the next start has the new state; {told}")
        if has_ended:
            return
        if succeeded is (run.returncode != 0) and not run.stderr:
            raise Failed(f"exit code and answer differ; {told}")
        if not succeeded and "No space" not in told:
            raise Failed(f"it does not say why; {told}")


def main():
    parser = faults.parser(__doc__)
    parser.add_argument("--fixture", type=pathlib.Path, default=FIXTURE, help="the program that builds the modules")
    options = parser.parse_args()
    totals, broken = [], 0
    with tempfile.TemporaryDirectory(prefix="atrium-") as folder:
        upgrades = Upgrades(options, pathlib.Path(folder))
        for change in CHANGES:
            told, found = upgrades.host.each_call(
                lambda fault, change=change: upgrades.attempt(change, fault), f"{change.command}, ")
            totals.append(f"{change.command.split()[1]}: {told}")
            broken += found
    print("; ".join(totals) + f"; {broken} faults")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
