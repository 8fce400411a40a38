#!/usr/bin/env python3
"""Ends changes of a module with data at every call that changes a file, by SIGKILL and by a full disk.

    Tests/Torture/upgrades.py [--host FILE] [--fixture PROGRAM] [--postgres] [--sample N]

The module is Notes of Tests/Fixtures, with rows in its database: a file, or with --postgres tables of a server, where
each message of the migration's connection is a call too, before and after it is sent. After each fault the host starts
twice: both starts have the module and its data before or after the change, never mixed, with all rows, and say the
same; nothing is left to settle. A command that succeeded took place; one that failed did not, and said why. Without a
fault the command works then. With --sample the faults are at N calls alone: those that replace the list of installed
modules, after a commit, and others, spread evenly. Prints a line for each fault, and the totals; exits 1 if there is a
fault.
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
from servers import Database, until

FIXTURE = faults.ROOT / "Tests" / "Transcripts" / "fixture"
BUILDS = {"1.0.0": ("notes-1", 1), "1.1.0": ("notes-2", 2)}
"""The versions of the module, each with its fixture and the version of its data."""
OTHER = "Plain"
"""A module without data, which stays."""
ROWS = ("milk", "tea")
TEMPORARY = ("change.json", ".atrium-new*", "copies/atrium-scratch-*")
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
                "text": [row if self.data == 1 else f"{row} done 0" for row in self.rows], "link": "notes"}


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


POSTGRES_CHANGES = [dataclasses.replace(change, setup=("notes",)) for change in (CHANGES[0], CHANGES[2])]
"""With the server in use; without the rollback, as a server makes its own copies."""


class File:
    """The data of the module in a file of the data folder."""
    arguments, environment, changes = (), {}, CHANGES

    def __init__(self, folder):
        self.data, self.copy = folder / "data", folder / "copy"

    def add(self, upgrades):
        upgrades.enter(*(f"notes add {row}" for row in ROWS))

    def renew(self):
        """Nothing, as the file is in the data folder."""

    def take(self):
        """Copies the database as it is now, before the module uses it."""
        shutil.rmtree(self.copy, ignore_errors=True)
        self.copy.mkdir()
        for path in self.data.glob("Notes.sqlite*"):
            shutil.copy(path, self.copy)

    def look(self):
        """The version of the data, and the rows, as they were taken."""
        database = sqlite3.connect(self.copy / "Notes.sqlite")
        try:
            return (database.execute("PRAGMA user_version").fetchone()[0],
                    tuple(row for row, in database.execute("SELECT text FROM notes ORDER BY id")))
        except sqlite3.Error as error:
            raise Failed(f"the database can't be read: {error}") from None
        finally:
            database.close()

    def close(self):
        """Nothing is open."""


class Tables:
    """The data of the module in tables of a server."""
    environment, changes = {"ATRIUM_SENDS": "atrium Notes"}, POSTGRES_CHANGES
    """The connection that migrates the module's data locks that name."""

    def __init__(self, folder):
        self.database, self.whole = Database(folder / "server"), None
        self.arguments = ("--database", self.database.url)

    def add(self, upgrades):
        """Adds the rows itself, as a number that a file gives to each has to be given here."""
        upgrades.enter("notes")
        rows = ", ".join(f"({number}, '{row}')" for number, row in enumerate(ROWS, 1))
        self.database.sql(f'INSERT INTO "Notes".notes (id, text) VALUES {rows}')
        self.whole = self.database.dump("Notes")

    def renew(self):
        """Puts the tables back, once the server has noticed the end of all hosts."""
        until(lambda: self.database.sql("SELECT count(*) FROM pg_stat_activity WHERE datname = 'atrium'") == [["1"]],
              "the server ends what killed hosts began")
        self.database.sql(f'DROP SCHEMA IF EXISTS "Notes" CASCADE;{self.whole}')

    def take(self):
        """Nothing: a start may complete a change with the module's first use of its data."""

    def look(self):
        """The version of the data, and the rows."""
        version = self.database.sql('SELECT max(version) FROM "Notes".atrium_migrations')[0][0]
        return int(version), tuple(row for row, in self.database.sql('SELECT text FROM "Notes".notes ORDER BY id'))

    def close(self):
        self.database.call("kill")


class Upgrades:
    def __init__(self, options, folder, store):
        self.repository, self.whole, self.store = folder / "repository", folder / "whole", store
        self.host = faults.Host(options.host, folder, {"repositories": [str(self.repository)], "modules": []})
        self.host.command += store.arguments
        self.host.environment |= store.environment
        self.repository.mkdir(mode=0o755)
        for name, library in ((OTHER.lower(), OTHER), *((name, "Notes") for name, _ in BUILDS.values())):
            subprocess.run([options.fixture, name, folder / name], check=True, stdin=subprocess.DEVNULL)
            target = self.repository / f"lib{name}.so"
            shutil.copy(folder / name / f"lib{library}.so", target)
            target.chmod(0o644)
        subprocess.run([options.host, "repository", "index", self.repository], check=True, stdout=subprocess.DEVNULL)
        self.enter(f"module add {OTHER}", "module add Notes@=1.0.0")
        store.add(self)
        if (state := self.look()[0]) != FIRST:
            raise Failed(f"the data can't be made: {state}")
        shutil.copytree(self.host.data, self.whole, symlinks=True)

    def enter(self, *lines):
        run = self.host.run("--json", steps=lines)
        if run.returncode != 0 or run.stderr:
            raise Failed(f"'{lines[-1]}' fails: {run.stdout}{run.stderr}")

    def look(self):
        """Starts the host; returns the state, which was so before the module used its data, and the run."""
        run = self.host.run("--json", "--keep-going", steps=["modules", self.store.take, "notes"])
        if len(run.replies) != 2 or not run.replies[0]["ok"]:
            raise Failed(f"the host does not start: exit status {run.returncode}: {run.stderr}{run.stdout}")
        modules, notes = run.replies
        versions = {row["name"]: row["version"] for row in modules["result"]["rows"]}
        if OTHER not in versions:
            raise Failed(f"the next start has no {OTHER}: {run.stderr}{run.stdout}")
        version = versions.get("Notes")
        try:
            state = State(version, *self.store.look())
        except Failed as failure:
            raise Failed(f"{failure}; the host says {run.stderr}{run.stdout}") from None
        if fault := state.fault():
            raise Failed(f"{fault}: {run.stderr}{run.stdout}")
        shown = notes.get("result") if version else notes["error"]["code"]
        # The words of a module that was removed are known for a while.
        if shown not in ([state.screen()] if version else ["unknownCommand", "unknownModule"]):
            raise Failed(f"with {state} the module shows {shown}: {run.stderr}{run.stdout}")
        return state, run

    def left(self):
        return [str(path.relative_to(self.host.data)) for name in TEMPORARY for path in self.host.data.glob(name)]

    def attempt(self, change, fault):
        """Makes a change with a fault, starts twice, and makes it without."""
        self.host.renew(self.whole)
        self.store.renew()
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
    parser.add_argument("--postgres", action="store_true", help="have the data in a PostgreSQL server")
    parser.add_argument("--sample", type=int, metavar="N", help="the number of calls with a fault")
    options = parser.parse_args()
    totals, broken = [], 0
    with tempfile.TemporaryDirectory(prefix="atrium-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        store = Tables(folder) if options.postgres else File(folder)
        try:
            upgrades = Upgrades(options, folder, store)
            series = len(store.changes) * len(faults.KINDS)
            for change in store.changes:
                told, found = upgrades.host.each_call(
                    lambda fault, change=change: upgrades.attempt(change, fault), f"{change.command}, ",
                    options.sample and max(1, options.sample // series), "installed.json")
                totals.append(f"{change.command.split()[1]}: {told}")
                broken += found
        except Failed as failure:
            broken += 1
            print(failure)
        finally:
            store.close()
    print("; ".join(totals) + f"; {broken} faults")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
