#!/usr/bin/env python3
"""Has each call of the system fail with each error, for each file that a host keeps for the next.

    Tests/Torture/errnos.py [--host FILE] [--modules DIR] [--library FILE] [FILE …]

A file that can't be read stops the start with exit code 2, a sentence that names it and a step; the file is as it
was, nothing is renamed, and the next start has everything. A file that can't be written is an error or a warning,
and the next start has the former state or the new one. Prints a line for each violation, and the totals; exits 1 if
there is a violation.
"""

import errno
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import faults

EMAIL = "ada@example.com"
SETUP = f"""session sign-up --email {EMAIL} --password 'correct horse 9'
entities create --name lamp
module add '{{library}}'
open entities
"""
LOOK = "where; session; entities list; modules"
WRITES = "open entities; open entities/1; session sign-out"
# The errors that the manual pages list, but for those that say of a path what else it is, and EINTR of calls that are
# repeated then.
READS = {
    "open": ["EACCES", "EBUSY", "EDQUOT", "EFAULT", "EFBIG", "EINTR", "EINVAL", "EIO", "EMFILE", "ENAMETOOLONG", "ENFILE",
             "ENOMEM", "EOPNOTSUPP", "EOVERFLOW", "EPERM", "EROFS", "ESTALE", "ETXTBSY"],
    "fstat": ["EACCES", "EBADF", "EFAULT", "EIO", "ENOMEM", "EOVERFLOW", "ESTALE"],
    "read": ["EAGAIN", "EBADF", "EFAULT", "EINVAL", "EIO", "ENOMEM", "ESTALE"],
}
FOLDER_READS = {"stat": ["EACCES", "EFAULT", "EIO", "ENAMETOOLONG", "ENOMEM", "EOVERFLOW", "ESTALE"]}
CHANGES = {
    "write": ["EACCES", "EBADF", "EDQUOT", "EFAULT", "EFBIG", "EINVAL", "EIO", "ENOSPC", "EPERM", "EROFS"],
    "fsync": ["EACCES", "EBADF", "EDQUOT", "EINTR", "EINVAL", "EIO", "ENOSPC", "EROFS"],
    "rename": ["EACCES", "EBUSY", "EDQUOT", "EFAULT", "EINVAL", "EIO", "EISDIR", "EMLINK", "ENAMETOOLONG", "ENOENT",
               "ENOMEM", "ENOSPC", "ENOTDIR", "EPERM", "EROFS", "EXDEV"],
}
MADE = {
    "crashes.json": '{"crashes":[],"quarantined":{}}',
    "module-configuration.json": '{"modules":{}}',
    "module-states-local.json": '{"current":{},"earlier":{}}',
    "change.json": '{"configuration":{"modules":{}},"databases":[],"installed":{"added":[],"isWatching":false,'
                   '"removed":[],"rolledBack":{}}}',
    "crash": "crash 1\nkind exit\nstatus 0\npid 1\ntime 1\nend\n",
}
"""What the commands do not make."""
STATE = ["session-local.json", "navigation-local.json", "installed.json", "host.lock", *MADE]
FOLDERS = ["modules", "files", "libraries"]


class Data:
    def __init__(self, options, folder):
        self.folder = folder
        self.library = faults.library(folder)
        configuration = folder / "modules.json"
        configuration.write_text(json.dumps({
            "searchPaths": [str(options.modules)],
            "modules": [{"name": name} for name in ("Session", "UserProfile", "Entities")]}))
        self.command = [options.host, "--json", "--keep-going", "--alone", "--config", configuration]
        self.whole, self.copy = folder / "whole", folder / "copy"
        run = self.run(self.whole, lines=SETUP.format(library=options.library))
        assert run.returncode == 0, run
        for name, text in MADE.items():
            (self.whole / name).write_text(text)
        for name in FOLDERS:
            (self.whole / name).mkdir(exist_ok=True)
        shutil.copytree(self.whole, self.copy, symlinks=True)
        self.expected = self.seen(self.run(self.copy, LOOK))
        assert self.expected["session"] and self.expected["link"] == "entities", self.expected

    def run(self, data, commands=None, lines=None, **fault):
        environment = {**os.environ, **({"LD_PRELOAD": str(self.library)} if fault else {}), **fault}
        return subprocess.run(
            [*self.command, "--data", data, *(["-c", commands] if commands else [])], input=lines or "",
            capture_output=True, text=True, timeout=60, env=environment)

    @staticmethod
    def seen(run):
        rows = [json.loads(line) for line in run.stdout.splitlines()]
        results = {row["command"]: row.get("result") or {} for row in rows if row.get("ok")}
        return {
            "session": results.get("session", {}).get("email") == EMAIL,
            "link": results.get("where", {}).get("link"),
            "entities": [row["name"] for row in results.get("entities list", {}).get("rows", [])],
            "modules": sorted(row["name"] for row in results.get("modules", {}).get("rows", [])),
        }

    def renew(self):
        shutil.rmtree(self.copy)
        shutil.copytree(self.whole, self.copy, symlinks=True)

    def damaged(self):
        return sorted(str(path.relative_to(self.copy)) for path in self.copy.rglob("*damaged*"))


def read_faults(data, name, call, error):
    data.renew()
    content = lambda: (data.copy / name).read_bytes() if (data.copy / name).is_file() else None
    before = content()
    fault = {"ATRIUM_PATH": str(data.copy / name), "ATRIUM_CALL": call,
             "ATRIUM_ERRNO": str(getattr(errno, error))}
    run = data.run(data.copy, LOOK, **fault)
    found = []
    # A lock that can't be looked at after it was opened is a folder that can't be used.
    named = name in run.stderr or (name == "host.lock" and "data folder" in run.stderr)
    if run.returncode != 2 or not named or "hint: " not in run.stderr and '"hint"' not in run.stderr:
        found.append(f"exit status {run.returncode}: {run.stderr.strip()[:300]}")
    if name != "host.lock" and content() != before:
        found.append("the file was changed")
    if data.damaged():
        found.append(f"was renamed: {data.damaged()}")
    after = data.run(data.copy, LOOK)
    if data.seen(after) != data.expected:
        found.append(f"the next start has {data.seen(after)}: {after.stderr.strip()[:300]}")
    return found


def write_faults(data, call, error):
    data.renew()
    fault = {"ATRIUM_PATH": str(data.copy) + "/", "ATRIUM_CALL": call, "ATRIUM_ERRNO": str(getattr(errno, error))}
    run = data.run(data.copy, WRITES, **fault)
    found = []
    if run.returncode not in (0, 1, 2):
        found.append(f"exit status {run.returncode}: {run.stderr.strip()[:300]}")
    if not run.stderr.strip():
        found.append("nothing was said")
    if data.damaged():
        found.append(f"was renamed: {data.damaged()}")
    after = data.run(data.copy, LOOK)
    seen = data.seen(after)
    if after.returncode not in (0, 1) or seen["link"] not in ("entities", "entities/1") \
            or any(seen[part] != data.expected[part] for part in ("entities", "modules")):
        found.append(f"the next start has {seen}: {after.stderr.strip()[:300]}")
    return found


def main():
    parser = faults.parser(__doc__)
    parser.add_argument("--library", type=pathlib.Path,
                        default=faults.ROOT / "Examples/Catalog/.build/release/libCatalog.so")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.library = options.library.absolute()
    count = broken = 0
    with tempfile.TemporaryDirectory(prefix="atrium-") as folder:
        data = Data(options, pathlib.Path(folder))
        cases = [(name, call, error) for name in STATE for call, errors in READS.items() for error in errors]
        cases += [(name, call, error) for name in FOLDERS for call, errors in FOLDER_READS.items()
                  for error in errors]
        cases += [(None, call, error) for call, errors in CHANGES.items() for error in errors]
        for name, call, error in cases:
            if options.names and name and name not in options.names:
                continue
            count += 1
            found = read_faults(data, name, call, error) if name else write_faults(data, call, error)
            broken += bool(found)
            for fault in found:
                print(f"{name or 'all files'}, {call} fails with {error}: {fault}", flush=True)
    print(f"{count} errors, {broken} of them were not handled")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
