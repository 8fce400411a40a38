#!/usr/bin/env python3
"""Damages each file of a data folder in every way, and starts the host with it.

    Tests/Torture/state_files.py [--host FILE] [--modules DIR] [--fixture PROGRAM] [--short] [FILE …]

The host must start within seconds, name the damaged file if data in it is lost, and keep the data of all other
files; it renames only what it has read. Something else in place of a file stops the start within a second by a
sentence that names it, and stays; a link that works may stay, too. Prints a line for each violation, and the totals;
exits 1 if there is a violation.
"""

import os
import random
import shutil
import stat
import sys
import time

import errnos
import filled

DEPTH = 100_000
LARGEST = {"identity": 100}
"""The most bytes that a host reads of a state file, 16 MB of most: a larger one stops the start, and stays."""
QUICK = 1
"""The time in which a start stops, in seconds."""


def junk(size):
    return random.Random(7).randbytes(size)


def replaced(make):
    def damage(path):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
        make(path)
    return damage


def written(data):
    return lambda path: path.write_bytes(data(path.read_bytes()) if callable(data) else data)


FILE_DAMAGES = {
    "half of it": written(lambda data: data[:len(data) // 2]),
    "all but the last byte": written(lambda data: data[:-1]),
    "empty": written(b""),
    "random bytes": written(junk(4096)),
    "random bytes in the middle": written(lambda data: data[:len(data) // 3] + junk(64) + data[len(data) // 3 + 64:]),
    "zeros": written(lambda data: bytes(len(data))),
    "a number": written(b"5"),
    "a text": written('"\N{SNOWMAN}"'.encode()),
    "null": written(b"null"),
    "an empty list": written(b"[]"),
    "an empty object": written(b"{}"),
    "numbers out of range": written(b'{"version":1e999,"entries":[9223372036854775808],"added":-1,"person":1e-999}'),
    "nested lists": written(b"[" * DEPTH),
    "nested objects": written(b'{"a":' * DEPTH),
    "nested lists that end": written(b"[" * DEPTH + b"]" * DEPTH),
    "10 GB of nothing": lambda path: os.truncate(path, 10_000_000_000),
}
PLACES = {
    "a folder": replaced(lambda path: path.mkdir()),
    "a folder with a file": replaced(lambda path: (path.mkdir(), (path / "file").write_bytes(b"file"))),
    "a FIFO": replaced(lambda path: os.mkfifo(path)),
    "a link to itself": replaced(lambda path: path.symlink_to(path.name)),
    "a link to nothing": replaced(lambda path: path.symlink_to("nothing")),
    "a link to /dev/zero": replaced(lambda path: path.symlink_to("/dev/zero")),
    "a link to /dev/full": replaced(lambda path: path.symlink_to("/dev/full")),
    "a link to another file": replaced(lambda path: path.symlink_to("/etc/hostname")),
    "a link to the file": lambda path: (path.rename(path.parent.parent / path.name),
                                        path.symlink_to(path.parent.parent / path.name)),
}
"""What can be in the place of a file."""
FOLDER_DAMAGES = {
    "a file": replaced(lambda path: path.write_bytes(b"file")),
    "missing": shutil.rmtree,
    "a link to nothing": replaced(lambda path: path.symlink_to("nothing")),
}
SHORT = {"half of it", "all but the last byte", "empty", "null", "nested lists", "a folder", "a FIFO",
         "a link to /dev/zero", "a link to the file", "a file"}
MAY_LOSE = {
    "session-": {"session", "profile", "where"}, "Session.sqlite": {"session", "profile"},
    "Entities.sqlite": {"entities list"}, "UserProfile.sqlite": {"profile"}, "Notes.sqlite": {"notes"},
    "navigation-": {"where"}, "installed.json": {"module ", "notes", "counter"}, "crash": {"crashes"},
    "module-states-": {"counter"}, "module-configuration": {"module configure Entities"}, "history": {"history"},
    "scene-": {"scenes"}, "tokens-": {"session", "profile"}, "libraries/Notes-1.0": {"module Notes", "notes"},
    "libraries/Plain": {"module Plain"}, "libraries": {"module Notes", "notes", "module Plain"},
}
"""The data that may be lost, by the beginning of the damaged file's name."""
CACHES = ("modules", "copies", "start", "running", "atrium", "events", "libraries", "host.lock")
"""Files that are recreated, or read only by commands that need them; modules report their own errors. host.lock
holds none of the user's data: anything else in its place is renamed (Docs/decisions/0065-faults-by-kind.md)."""
LOGS = (".sqlite-wal", ".sqlite-shm")
"""What SQLite reads as far as it is right, and makes anew."""


def start(data, name, damage):
    """Starts a host after the damage; returns the run, what it has lost, and how long it took."""
    environment = "live" if "-live" in name else "shared" if name == "identity" else "local"
    data.renew(environment)
    damage(data.copy / name)
    before = time.monotonic()
    run = data.look(environment)
    took = time.monotonic() - before
    seen = data.seen(run, environment) if run else {}
    lost = {part for part, value in data.expected[environment].items() if seen.get(part) != value}
    return run, lost, took


def damage_faults(data, name, damage):
    run, lost, _ = start(data, name, damage)
    found = filled.ends(run)
    path = data.copy / name
    if found or run.returncode == 2 and path.is_file() and path.stat().st_size > LARGEST.get(name, 16_000_000) and name in run.stderr:
        return found
    allowed = next((parts for start, parts in MAY_LOSE.items() if name.startswith(start)), set())
    if wrong := {part for part in lost if not any(part.startswith(start) for start in allowed)}:
        found.append(f"lost {sorted(wrong)}: exit status {run.returncode}: {run.stderr[-300:]}")
    if lost and not (filled.is_named(name, run) or name.startswith(("libraries", "history")) or name.endswith(LOGS)):
        found.append(f"lost {sorted(lost)} but did not report it: {run.stderr[-300:]}")
    return found


def place_faults(data, name, damage):
    """What is in the place of a file stays, and stops the start, or nothing is lost."""
    path, kept = data.copy / name, []

    def replace(path):
        damage(path)
        kept.append(kind(path))
    run, lost, took = start(data, name, replace)
    found = filled.ends(run)
    if found or name.startswith(CACHES) or name.endswith(LOGS):
        return found
    if kind(path) != kept[0]:
        aside = sorted(other.name for other in data.copy.glob(f"{name}*"))
        found.append(f"exit status {run.returncode}, it was moved or removed, there are {aside}: {run.stderr[-200:]}")
    if took > QUICK and run.returncode == 2:
        found.append(f"took {took:.1f} s to stop")
    if (lost or run.returncode == 2) and not filled.is_named(name, run):
        found.append(f"exit status {run.returncode}, lost {sorted(lost)}, and nothing names it: {run.stderr[-300:]}")
    return found


def kind(path):
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    return stat.S_IFMT(mode), os.readlink(path) if stat.S_ISLNK(mode) else None


def attempts(data, options):
    for path in [*sorted(data.whole.rglob("*")), data.sharing / "identity"]:
        name = path.name if path.parent == data.sharing else str(path.relative_to(data.whole))
        if options.names and name not in options.names or name.startswith("modules/") and path.suffix != ".json":
            continue
        if path.is_dir():
            kinds = [(FOLDER_DAMAGES, damage_faults)]
        else:
            kinds = [(FILE_DAMAGES, damage_faults), (PLACES, place_faults)]
        for damages, function in kinds:
            for words, damage in damages.items():
                if options.short and words not in SHORT:
                    continue
                yield f"{name}, {words}", lambda data, name=name, damage=damage, function=function: function(
                    data, name, damage)


def main():
    parser = errnos.parser(__doc__)
    parser.add_argument("names", nargs="*")
    return errnos.run_all(parser.parse_args(), attempts, "damages")


if __name__ == "__main__":
    sys.exit(main())
