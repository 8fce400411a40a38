#!/usr/bin/env python3
"""Has each call of the system fail with each error, for each file that a host keeps for the next.

    Tests/Torture/errnos.py [--host FILE] [--modules DIR] [--fixture PROGRAM] [--short] [FILE …]

A file that can't be read stops the start with exit code 2, a sentence that names it and a step; the file is as it
was, nothing is renamed, and the next start has everything. What is read later is an error of the command. A file that
can't be written is an error or a warning that names it, and the next start has the former state or the new one.
Prints a line for each violation, and the totals; exits 1 if there is a violation.
"""

import concurrent.futures
import errno
import functools
import itertools
import pathlib
import queue
import sys
import tempfile
import time

import faults
import filled
import rotation
import writes

# The errors that the manual pages list, but for ENOENT and ENOTDIR, which say that there is no file, EEXIST, which
# opening to read can't give, and EINTR of `read`, after which it is called again: it comes once, and costs nothing.
READS = {
    "open": ["EMFILE", "EACCES", "EAGAIN", "EBADF", "EBUSY", "EDQUOT", "EFAULT", "EFBIG", "EINTR", "EINVAL", "EIO",
             "EISDIR", "ELOOP", "ENAMETOOLONG", "ENFILE", "ENODEV", "ENOMEM", "ENOSPC", "ENXIO", "EOPNOTSUPP",
             "EOVERFLOW", "EPERM", "EROFS", "ESTALE", "ETXTBSY"],
    "fstat": ["EIO", "EACCES", "EBADF", "EFAULT", "ELOOP", "ENOMEM", "EOVERFLOW", "ESTALE"],
    "read": ["EIO", "EAGAIN", "EBADF", "EFAULT", "EINVAL", "EISDIR", "ENOMEM", "ESTALE"],
}
DATABASE_READS = {"open": ["EMFILE", "EACCES", "EIO", "ELOOP", "ENFILE", "ENOMEM", "EPERM", "ESTALE"],
                  "pread": ["EIO", "EBADF", "EFAULT", "EINVAL", "EISDIR", "ENOMEM", "ESTALE"]}
FOLDER_READS = {"stat": ["EACCES", "EFAULT", "EIO", "ENAMETOOLONG", "ENOMEM", "EOVERFLOW", "ESTALE"]}
MADE = {
    "change.json": '{"configuration":{"modules":{}},"databases":[],"installed":{"added":[],"isWatching":false,'
                   '"removed":[],"rolledBack":{}}}',
}
"""What the commands do not leave."""
READ_AT_START = {
    "local": ["session-local.json", "navigation-local.json", "module-states-local.json", "module-configuration.json",
              "installed.json", "crashes.json", "crash", "change.json", "host.lock"],
    "live": ["session-live.json", "navigation-live.json", "module-states-live.json"],
    "shared": ["identity"],
}
READ_LATER = {"local": ["scene-local-left.json", "history"], "live": ["tokens-live.json"]}
DATABASES = {"local": ["Entities.sqlite", "Entities.sqlite-wal", "Session.sqlite", "Notes.sqlite",
                       "UserProfile.sqlite"]}
FOLDERS = {"local": ["modules", "modules/known", "modules/verdicts", "files", "libraries"]}
TAKEN_FOR_ANOTHER = {("host.lock", "EISDIR"), ("host.lock", "ENXIO")}
"""After these the lock is no file, and anything else in its place is renamed (Docs/decisions/0065-faults-by-kind.md)."""
QUESTIONS = {"Session.sqlite": f"session sign-in --email {rotation.EMAIL} --password 'correct horse 9'"}
"""The commands that need a file, where those of each start do not."""
THREADS = 2


def read_faults(data, environment, name, call, error, later):
    """Has each call of the function for the file fail; `later` if a start does not need the file."""
    data.renew(environment)
    make(data, name)
    path = data.copy / name
    before = data.content()
    run = data.look(environment, QUESTIONS.get(name), ATRIUM_PATH=str(path), ATRIUM_CALL=call,
                    ATRIUM_ERRNO=str(getattr(errno, error)))
    found = filled.ends(run)
    if found:
        return found
    named = filled.is_named(name, run) or (name == "host.lock" and "data folder" in run.stderr)
    if not named or "hint" not in run.stderr + run.stdout:
        found.append(f"exit status {run.returncode}, and nothing names the file: {run.stderr[:300]}")
    if run.returncode != 2 and not later:
        found.append(f"exit status {run.returncode}: {run.stderr[:300]}")
    after = data.content()
    if not (name == "host.lock" or ".sqlite" in name) and before.get(name) != after.get(name):
        found.append("the file was changed")
    if run.returncode == 2 and (changed := data.changed(before)):
        found.append(f"the start was refused, and changed {changed}")
    return found + filled.next_start(data, environment, [data.expected[environment]])


def interruption_faults(data, environment, name):
    """Has the first call of `read` for the file be interrupted by a signal."""
    data.renew(environment)
    make(data, name)
    run = data.look(environment, QUESTIONS.get(name), ATRIUM_PATH=str(data.copy / name), ATRIUM_CALL="read",
                    ATRIUM_ERRNO=str(errno.EINTR), ATRIUM_FAULT="once")
    found = filled.ends(run)
    if not found and run.returncode != 0:
        found.append(f"exit status {run.returncode}: {run.stderr[:300]}")
    return found + filled.next_start(data, environment, [data.expected[environment]])


def make(data, name):
    if name in MADE:
        (data.copy / name).write_text(MADE[name])
    if name in FOLDERS["local"]:
        (data.copy / name).mkdir(exist_ok=True)


def attempts(data, options):
    """Each fault in words, with the function that tries it on a folder."""
    most = 1 if options.short else None
    kinds = [(READ_AT_START, READS, False), (FOLDERS, FOLDER_READS, False), (READ_LATER, READS, True),
             (DATABASES, DATABASE_READS, True)]
    for files, errors, later in kinds:
        for environment, names in files.items():
            for name, call in itertools.product(names, errors):
                for error in errors[call][:most]:
                    if options.names and name not in options.names or (name, error) in TAKEN_FOR_ANOTHER:
                        continue
                    yield f"{name}, {call} fails with {error}", functools.partial(
                        read_faults, environment=environment, name=name, call=call, error=error, later=later)
            if errors is READS:
                for name in names:
                    if not options.names or name in options.names:
                        yield f"{name}, read is interrupted", functools.partial(
                            interruption_faults, environment=environment, name=name)
    for environment in writes.WRITES:
        script = writes.Writes(data, environment)
        for call, path, number, name in script.cases():
            if options.names and name.removesuffix(writes.FOLDER) not in options.names:
                continue
            for error in writes.CHANGES[call][:most]:
                yield f"{name}, {call} fails with {error}", functools.partial(
                    script.faults, call=call, path=path, number=number, name=name, error=error)


def parser(description):
    parser = faults.parser(description)
    parser.add_argument("--fixture", default=filled.FIXTURE, help="builds a module of Tests/Fixtures into a folder")
    parser.add_argument("--short", action="store_true", help="some of it")
    return parser


def run_all(options, attempts, unit):
    """Tries the faults in threads, each on a folder of its own, prints what is found, and returns the exit status."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="atrium-") as folder:
        data = filled.Filled(options, pathlib.Path(folder))
        try:
            count, broken = try_all(data, list(attempts(data, options)))
        finally:
            data.close()
    print(f"{count} {unit} in {time.monotonic() - start:.0f} s, {broken} of them were not handled")
    return 1 if broken else 0


def try_all(data, cases):
    folders = queue.Queue()
    for number in range(THREADS):
        folders.put(data.beside(f"thread{number}"))

    def attempt(case):
        words, function = case
        folder = folders.get()
        try:
            return words, function(folder)
        finally:
            folders.put(folder)

    broken = 0
    with concurrent.futures.ThreadPoolExecutor(THREADS) as threads:
        for words, found in threads.map(attempt, cases):
            broken += bool(found)
            for fault in found:
                print(f"{words}: {fault}", flush=True)
    return len(cases), broken


def main():
    options = parser(__doc__)
    options.add_argument("names", nargs="*")
    return run_all(options.parse_args(), attempts, "errors")


if __name__ == "__main__":
    sys.exit(main())
