#!/usr/bin/env python3
"""Damages each file of a data folder in every way, and starts the host with it.

    Tests/Torture/state_files.py [--host FILE] [--modules DIR] [FILE …]

The host must start within seconds, name the damaged file if data in it is lost, and keep the data of all other
files; a file that is too large to be read stops the start and stays. Prints a line for each violation, and the totals; exits 1 if there is a violation.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

RELEASE = pathlib.Path(__file__).resolve().parents[2] / ".build" / "release"
PATIENCE = 20
"""The timeout of a start, in seconds."""
SETUP_PATIENCE = 600
"""The timeout of the commands that make the data: one builds a package."""
DEPTH = 100_000
LARGEST = 16_000_000
"""The most bytes that a host reads of a state file: a larger one stops the start, and stays."""
EMAIL = "ada@example.com"
SETUP = f"""session sign-up --email {EMAIL} --password 'correct horse 9'
profile/edit submit --firstName Ada --lastName Lovelace --age 36
entities create --name lamp
open entities
open entities/new
entities/new set --name draft
module add '{{extra}}'
open nosuch/link
"""
LOOK = "where; session; entities list; profile; modules; nav alive; events; entities create --name later"


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
    "a folder": replaced(lambda path: path.mkdir()),
    "a FIFO": replaced(lambda path: os.mkfifo(path)),
    "a link to itself": replaced(lambda path: path.symlink_to(path.name)),
    "a link to nothing": replaced(lambda path: path.symlink_to("nothing")),
    "a link to /dev/zero": replaced(lambda path: path.symlink_to("/dev/zero")),
    "a link to /dev/full": replaced(lambda path: path.symlink_to("/dev/full")),
    "a link to another file": replaced(lambda path: path.symlink_to("/etc/hostname")),
}
LINK_DAMAGES = {name: damage for name, damage in FILE_DAMAGES.items() if damage.__name__ == "damage"}
FOLDER_DAMAGES = {
    "a file": replaced(lambda path: path.write_bytes(b"file")),
    "missing": shutil.rmtree,
    "a link to nothing": replaced(lambda path: path.symlink_to("nothing")),
}


class Data:
    """A data folder with data of every kind, which is copied for each damage."""

    def __init__(self, host, modules, folder, extra):
        self.folder = folder
        self.configuration = folder / "modules.json"
        self.configuration.write_text(json.dumps({
            "searchPaths": [str(modules)],
            "modules": [{"name": name} for name in ("Session", "UserProfile", "Entities")]}))
        self.command = [host, "--json", "--keep-going", "--config", self.configuration]
        self.whole = folder / "whole"
        run = subprocess.run([*self.command, "--data", self.whole], input=SETUP.format(extra=extra),
                             capture_output=True, text=True, timeout=SETUP_PATIENCE)
        self.look(self.whole)
        self.expected = self.seen(self.look(self.whole)[0])
        assert self.expected["session"] and self.expected["entities"] and self.expected["profile"], run

    def look(self, data):
        process = subprocess.run([*self.command, "--data", data, "-c", LOOK], capture_output=True,
                                 timeout=PATIENCE, stdin=subprocess.DEVNULL, preexec_fn=limit_memory)
        rows = [json.loads(line) for line in process.stdout.splitlines()]
        return rows, process.stderr.decode(errors="replace"), process.returncode

    @staticmethod
    def seen(rows):
        """The data that is still there, by the command that shows it."""
        results = {row["command"]: row.get("result") or {} for row in rows if row.get("ok")}
        return {
            "session": results.get("session", {}).get("email") == EMAIL,
            "entities": any(row.get("name") == "lamp" for row in results.get("entities list", {}).get("rows", [])),
            "profile": results.get("profile", {}).get("firstName") == "Ada",
            "stack": results.get("where", {}).get("link") == "entities/new",
            "modules": sorted(row["name"] for row in results.get("modules", {}).get("rows", [])),
        }


# The data that may be lost, by the prefix of the damaged file's name.
MAY_LOSE = {
    "session-": {"session", "profile", "stack"}, "Session.sqlite": {"session", "profile"},
    "Entities.sqlite": {"entities"}, "UserProfile.sqlite": {"profile"}, "navigation-": {"stack"},
    "installed.json": {"modules"}, "modules": set(), "": set(),
}


def limit_memory():
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def faults(data, name, damage):
    copy = data.folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(data.whole, copy, symlinks=True)
    try:
        damage(copy / name)
    except OSError as error:
        return [f"the damage failed: {error}"]
    try:
        rows, errors, status = data.look(copy)
    except subprocess.TimeoutExpired:
        return [f"did not end within {PATIENCE} s"]
    except json.JSONDecodeError as error:
        return [f"output is not JSON: {error}"]
    found = []
    if status == 2 and (copy / name).is_file() and (copy / name).stat().st_size > LARGEST and name in errors:
        return []
    if status not in (0, 1, 3):
        return [f"exit status {status}: {errors.strip()[:300]}"]
    seen = data.seen(rows)
    lost = {what for what, value in data.expected.items() if seen[what] != value}
    allowed = next(losses for start, losses in MAY_LOSE.items() if name.startswith(start))
    if lost - allowed:
        found.append(f"lost {sorted(lost - allowed)}: {errors.strip()[:300]}")
    told = errors + json.dumps([row for row in rows if not row.get("ok")])
    if lost and pathlib.Path(name).stem.split("-")[0] not in told:
        found.append(f"lost {sorted(lost)} but did not report it: {errors.strip()[:200]}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", type=pathlib.Path, default=RELEASE / "atrium")
    parser.add_argument("--modules", type=pathlib.Path, default=RELEASE)
    parser.add_argument("--extra", default=str(RELEASE.parents[1] / "Examples/Catalog"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    count = broken = 0
    with tempfile.TemporaryDirectory(prefix="atrium-") as folder:
        data = Data(options.host.absolute(), options.modules.absolute(), pathlib.Path(folder), options.extra)
        for path in sorted(data.whole.rglob("*")):
            name = str(path.relative_to(data.whole))
            if options.names and name not in options.names:
                continue
            damages = LINK_DAMAGES if path.is_symlink() else FOLDER_DAMAGES if path.is_dir() else FILE_DAMAGES
            for damage, perform in damages.items():
                count += 1
                found = faults(data, name, perform)
                broken += bool(found)
                for fault in found:
                    print(f"{name}, {damage}: {fault}", flush=True)
    print(f"{count} damages, {broken} of them were not handled")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
