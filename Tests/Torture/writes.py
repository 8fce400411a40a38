"""The calls by which a script of a host changes files, each of which fails once."""

import collections
import errno
import fnmatch
import json
import re
import sqlite3

import faults
import filled

WRITE = ["EIO", "EACCES", "EAGAIN", "EBADF", "EDESTADDRREQ", "EDQUOT", "EFAULT", "EFBIG", "EINTR", "EINVAL", "ENOSPC",
         "EPERM", "EPIPE", "EROFS"]
SYNCHRONIZE = ["EIO", "EACCES", "EBADF", "EDQUOT", "EINTR", "EINVAL", "ENOSPC", "EROFS"]
REMOVE = ["EIO", "EACCES", "EBUSY", "EFAULT", "EISDIR", "ELOOP", "ENAMETOOLONG", "ENOMEM", "EPERM", "EROFS"]
"""Not ENOENT and ENOTDIR, after which there is no file."""
CHANGES = {
    "open": ["EIO", "EMFILE", "EACCES", "EBADF", "EBUSY", "EDQUOT", "EEXIST", "EFAULT", "EFBIG", "EINTR", "EINVAL",
             "EISDIR", "ELOOP", "ENAMETOOLONG", "ENFILE", "ENODEV", "ENOENT", "ENOMEM", "ENOSPC", "ENOTDIR", "ENXIO",
             "EOPNOTSUPP", "EOVERFLOW", "EPERM", "EROFS", "ETXTBSY"],
    "write": WRITE, "pwrite": WRITE,
    "fsync": SYNCHRONIZE, "fdatasync": SYNCHRONIZE,
    "ftruncate": ["EIO", "EBADF", "EFBIG", "EINTR", "EINVAL", "EPERM", "EROFS"],
    "rename": ["EIO", "EACCES", "EBUSY", "EDQUOT", "EEXIST", "EFAULT", "EINVAL", "EISDIR", "ELOOP", "EMLINK",
               "ENAMETOOLONG", "ENOENT", "ENOMEM", "ENOSPC", "ENOTDIR", "ENOTEMPTY", "EPERM", "EROFS", "EXDEV"],
    "unlink": REMOVE,
    "mkdir": ["EIO", "EACCES", "EDQUOT", "EFAULT", "EINVAL", "ELOOP", "EMLINK", "ENAMETOOLONG", "ENOENT", "ENOMEM",
              "ENOSPC", "ENOTDIR", "EPERM", "EROFS"],
}
WRITES = {
    "local": "entities create --name later; notes add tea; counter increment; module upgrade Notes; "
             "profile/edit submit --firstName Eva --lastName Lovelace --age 36; module configure Entities delay=2; "
             "module remove Plain; open entities; open entities/1; session sign-out",
    "live": f"session sign-out; {filled.SIGN_IN}; open entities/2",
}
MAY_FAIL_SILENTLY = ["fdatasync [A-Z]*.sqlite", "fdatasync copies/atrium-scratch", "fdatasync Entities.sqlite-wal"]
"""Synchronizing what SQLite's log still has, and a folder, whose errors SQLite ignores. The first change of Entities'
log removes answers that were kept for another user: the log names the error, and the next start does it again."""
UNSUPPORTED = ["EINVAL", "EROFS"]
"""With these fsync says that it does not support the file (fsync(2)): a host is right to ignore them for a folder, which
its file system can't synchronize then."""
CACHES = "(?<=^modules/known/).*|(?<=^modules/verdicts/).*|(?<=[.]atrium-new-).*|(?<=/atrium-scratch-).*"
"""The part of a path that no two runs have alike."""
LOGS = {"calls": "ATRIUM_CALLS", "matches": "ATRIUM_MATCHES"}
FOLDER = " (folder)"
ACKNOWLEDGED = {
    "entities create --name later": ("Entities.sqlite", "SELECT 1 FROM entities WHERE name = 'later'"),
    "notes add tea": ("Notes.sqlite", "SELECT 1 FROM notes WHERE text LIKE 'tea%'"),
}
"""Commands with the file and a query for what they make."""


class Writes:
    """The calls that change files while a script runs, from a run without a fault."""

    def __init__(self, data, environment):
        self.environment = environment
        run = self.run(data, "rename", "nothing", 1, "EIO")
        if run is None or run.returncode != 0:
            raise faults.Failed(f"the script fails: {run}")
        self.calls = calls(data)
        self.states = [data.expected[environment], *self.later_states(data)]

    def later_states(self, data):
        """What the next start has after each command of the script."""
        commands = WRITES[self.environment].split("; ")
        for count in range(1, len(commands) + 1):
            data.renew(self.environment)
            data.look(self.environment, "; ".join(commands[:count]))
            yield data.seen(data.look(self.environment), self.environment)

    def run(self, data, call, path, number, error):
        data.renew(self.environment)
        for name in LOGS:
            (data.folder / name).write_text("")
        variables = dict(zip(LOGS.values(), (str(data.folder / name) for name in LOGS)))
        return data.look(
            self.environment, WRITES[self.environment], ATRIUM_FAULT="errno", ATRIUM_CALL=call,
            ATRIUM_PATH=str(data.copy / path), ATRIUM_FAULT_AT=str(number), ATRIUM_ERRNO=str(getattr(errno, error)),
            **variables)

    def cases(self):
        """The first call of each kind for each file: with its path in the folder, and its number among those."""
        first, counts = {}, collections.Counter()
        for call, path, name in self.calls:
            path = re.sub(CACHES, "*", path)
            counts[call, path] += 1
            if call in CHANGES:
                first.setdefault((call, re.sub(CACHES, "", name)), (call, path, counts[call, path], name))
        return list(first.values())

    def faults(self, data, call, path, number, name, error):
        run = self.run(data, call, path, number, error)
        found = filled.ends(run)
        if found:
            return found
        made = calls(data)
        if len((data.folder / "matches").read_text().splitlines()) < number:
            return ["the call was not made again"]
        told = run.returncode == 2 or filled.is_named(name.removesuffix(FOLDER), run)
        is_silent = any(fnmatch.fnmatch(f"{call} {name}", pattern) for pattern in MAY_FAIL_SILENTLY)
        is_silent |= call == "fsync" and name.endswith(FOLDER) and error in UNSUPPORTED
        is_repeated = sum(made_call == call and made_name == name for made_call, _, made_name in made) > 1
        if "sync" in call and not (told or is_silent or is_repeated):
            found.append(f"exit status {run.returncode}, and nothing was told: {run.stderr[-300:]}")
        found += self.lost(data, run)
        for path in data.copy.glob("*.sqlite"):
            found += integrity(path)
        return found + filled.next_start(data, self.environment, self.states, told)

    def lost(self, data, run):
        """What was acknowledged and is not in its database."""
        done = [json.loads(line)["command"] for line in run.stdout.splitlines() if '"ok":true' in line]
        return [f"'{command}' was acknowledged, and is lost" for command, (file, query) in ACKNOWLEDGED.items()
                if command in done and not rows(data.copy / file, query)]


def calls(data):
    """The calls of the last run as (call, path in the folder, name of the file), in order.

    A temporary file has the name of the file that it becomes, and so has the folder that is synchronized for it.
    """
    lines, end, found = (data.folder / "calls").read_text().splitlines(), None, []
    for line in reversed(lines):
        call, path = line[:16].strip(), line[16:].strip()
        # The log has the end of a long path; files elsewhere do not count.
        if "/copy" not in path or "host.sock" in path:
            continue
        path = re.sub("^.*/copy/?", "", path)
        end = path if call == "rename" else end
        name = re.sub("(?<=/atrium-scratch)-[^/]*", "", path)
        found.append((call, path, end if ".atrium-new-" in path and end else name))
    found.reverse()
    for index, (call, path, name) in enumerate(found):
        if call == "fsync" and not path:
            found[index] = (call, path, found[index - 1][2] + FOLDER)
    return found


def rows(path, query):
    with sqlite3.connect(path) as database:
        return database.execute(query).fetchall()


def integrity(path):
    try:
        answer = rows(path, "PRAGMA integrity_check")[0][0]
        return [] if answer == "ok" else [f"{path.name}: {answer}"]
    except sqlite3.Error as error:
        return [f"{path.name}: {error}"]


