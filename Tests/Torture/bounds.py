#!/usr/bin/env python3
"""Writes numbers at and beyond their bounds wherever a host reads one, and has a host read them.

    Tests/Torture/bounds.py [--host FILE] [--modules DIR] [--fixture PROGRAM] [--every N] [--fields] [PART …]

The parts: `files`, each number in the state files of a filled data folder, its configuration and an index of modules;
`rows`, each integer of the modules' databases and of a backup; `options`, `socket` and `mcp`, each number that a
command line, a client and a program send (`bounds_sent.py`). No number ends a host by a signal, has it hang or is an
unexpected error; a refusal names the file or option, with --fields also the field; other files keep each byte, and
the data of others is there. --every N takes each N-th case. Prints a line for each violation, and the totals; exits 1
if there is a violation.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time

import bounds_rows
import bounds_sent
import errnos
import faults
from bounds_rows import MAY_LOSE, seen as data_seen
from bounds_sent import EDGES, NUMBERS, PATIENCE, ends, rows
from rotation import EMAIL

MODULES = ["Session", "UserProfile", "Entities"]
LIVE = (f"session sign-in --email {EMAIL} --password 'correct horse'; open entities; entities next; open entities/1; "
        "open users; profile")
LOCAL = (f"session sign-up --email {EMAIL} --password 'correct horse 9'; profile/edit submit --firstName Ada "
         "--lastName Lovelace --age 36; entities create --name lamp --category red; module add lib/libCounter.so "
         "lib/libTrapsInAction.so; module configure UserProfile delay=2; counter increment; open counter; "
         "open entities; back; open entities; new; open nosuch/link")
CRASH = "traps-in-action go"
LOOK = ("where; session; entities list; entities list --sort newest; entities/1; entities/categories; profile; "
        "profile/notifications; users; modules; module Counter; counter; module configure Entities; module search; "
        "events --limit 50; health; scenes; top; nav alive; api; module restore-state Counter; why; back; forward; "
        "root")
WRITES = {"Entities.sqlite": "entities create --name later; entities/1 set category blue; entities/1 delete",
          "UserProfile.sqlite": "profile/edit submit --age 37; profile/notifications",
          "Session.sqlite": "session sign-out"}
LOSSES = {"modules.json": {"session", "profile", "entities", "stack"}, "module-configuration.json": {"profile"},
          "module-states": {"stack"}, "tokens-live": {"session", "profile"}, **MAY_LOSE}
"""What a wrong number may lose, by the prefix of the file's name."""
ALWAYS = {f"data/{name}" for name in ("atrium.log", "events.jsonl", "host.lock", "start", "running")}
"""What each start writes."""
TAKES = {f"data/{name}" for name in ("crashes.json", "installed.json", "module-configuration.json")}
"""What a start changes by what it takes, an end or a change."""
JSON = re.compile(rb'"(\w+)\\*":\s*(?:\\*"(?=\d+[-.]))?(-?\d+(?:\.\d+(?!\.))?)(?=[-.,}\]\s])')
"""A number of JSON, also in a text such as a version, or in JSON within a text."""
WORDS = re.compile(rb"(?m)^(\w+)(?= )|(?<= )(0x[0-9a-f]+|\d+)(?= |$|\0)")
"""The first word of a line, and the numbers of a line."""
TIMES = 3
"""So often a field is tried in a file: the later ones are alike."""


class Server:
    """The server of environment live."""

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, faults.ROOT / "Demos/server/server.py", "--port", "0", "--seed", "--quiet",
             "--access-life", "3600", "--refresh-grace", "3600"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            text=True)
        return self.process.stdout.readline().split()[-1]

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Site:
    """A folder with configuration, modules and data, which is made again for each case."""

    def __init__(self, host, folder, copied=None):
        self.host, self.folder, self.whole = host, folder, {}
        if copied:
            shutil.copytree(copied, folder, symlinks=True)

    def command(self, *words):
        return [self.host, "--config", self.folder / "modules.json", "--data", self.folder / "data", *words]

    def run(self, *words):
        return subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=PATIENCE,
            cwd=self.folder)

    def script(self, lines, *words):
        fixed = ("--json", "--keep-going", "--alone", "--yes", "--no-supervisor")
        return self.run(*self.command(*fixed, *words, "-c", lines))

    def look(self, name, live):
        """Has a host read all, and write where file `name` is."""
        lines = "; ".join(filter(None, [LOOK, WRITES.get(name)]))
        return self.script(lines, *(["--env", "live"] if live else []))

    def content(self):
        """The bytes of each file but the libraries."""
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in self.folder.rglob("*")
                if path.suffix != ".so" and path.is_file() and "known" not in path.parts}

    def changed(self, now):
        return {name for name in now.keys() | self.whole.keys() if now.get(name) != self.whole.get(name)}

    def renew(self):
        for name in self.changed(self.content()):
            if name in self.whole:
                (self.folder / name).write_bytes(self.whole[name])
            else:
                (self.folder / name).unlink()
        shutil.rmtree(self.folder / "restored", ignore_errors=True)


def fill(options, folder, server):
    """Makes a folder by commands; returns its site, and the files that are there for a start only."""
    (folder / "repository").mkdir(parents=True)
    for name in ("counter-1", "traps-in-action"):
        subprocess.run([options.fixture, name, folder / "lib"], check=True, stdin=subprocess.DEVNULL)
    shutil.copy(folder / "lib" / "libCounter.so", folder / "repository")
    subprocess.run([options.host, "repository", "index", folder / "repository"], check=True, stdout=subprocess.DEVNULL)
    modules = [{"name": name, "configuration": {"delay": 0.5}} for name in MODULES]
    limits = {"connections": 8, "connectLimit": 10, "idleLimit": 60}
    (folder / "modules.json").write_text(json.dumps({
        "searchPaths": [str(options.modules)], "repositories": ["repository"],
        "modules": [*modules, {"name": "HTTPTransport", "configuration": limits}],
        "api": {"url": server, "timeLimit": 5, "attempts": 2, "paging": {"firstPage": 1}}}))
    site, data = Site(options.host, folder), folder / "data"
    for lines, *words in ((LIVE, "--env", "live"), (LOCAL,), (CRASH,), ("where",), (CRASH,)):
        run = site.script(lines, *words)
        if (run.returncode < 0) != (lines == CRASH) or run.returncode > 1:
            raise faults.Failed(f"'{lines}' fails: {run}")
    taken = {"crash": (data / "crash").read_bytes(), "running": (data / "running").read_bytes()}
    site.script(f"backup {folder / 'backup'}; where")
    made = {name: json.loads(text) for name, text in errnos.MADE.items() if name != "crash"}
    made["change.json"] |= {
        "installed": json.loads((data / "installed.json").read_text()),
        "configuration": json.loads((data / "module-configuration.json").read_text()),
        "databases": [{"module": "Entities", "file": "Entities.sqlite", "version": 1}]}
    return site, taken | {"start": b"starting 1\nfailures 1\n".ljust(512, b"\0"),
                          "change.json": json.dumps(made["change.json"]).encode()}


class Cases:
    """Files with a number, and what is right of a host that reads them."""

    def __init__(self, site, taken, tells_fields):
        self.taken, self.tells_fields = taken, tells_fields
        site.whole = self.whole = site.content()
        self.controls = {}
        # Live data is the server's, and stays as it is.
        for name, live in (("", True), ("", False), *((name, False) for name in WRITES)):
            run = site.look(name, live)
            assert run.returncode in (0, 1) and "damaged" not in run.stderr, run
            self.controls[name, live] = (data_seen(rows(run)), site.changed(site.content()), len(rows(run)))
            site.renew()

    def files(self):
        """A name, a field, a number, and the content with it."""
        given = self.whole | {f"data/{name}": data for name, data in self.taken.items()}
        for name, data in given.items():
            if name.endswith((".sqlite", "backup", "running")):
                continue
            for field, start, end in fields(name, data):
                for number in NUMBERS:
                    # A text stays one.
                    text = number.strip('"') if data[start - 1:start] == b'"' else number
                    yield name, field, number, data[:start] + text.encode() + data[end:]
        note = self.taken["running"]
        for number in [*EDGES[:6], 0, -1]:
            process = (number % 2 ** 32).to_bytes(4, "little")
            yield "data/running", "process", str(number), note[:16] + process + note[20:]

    def rows(self):
        with tempfile.TemporaryDirectory(prefix="atrium-") as folder:
            for name in (*(f"data/{each}.sqlite" for each in MODULES), "backup"):
                path = pathlib.Path(folder) / pathlib.Path(name).name
                path.write_bytes(self.whole[name])
                for table, column in bounds_rows.integers(path):
                    for number in NUMBERS:
                        if table != "PRAGMA" or -(2 ** 31) <= bounds_rows.whole(number) < 2 ** 31:
                            yield name, f"{table}.{column}", number, (table, column)

    def wrong(self, site, name, field, number, data):
        """What a host does wrong that finds a number in a file."""
        site.renew()
        path, short = site.folder / name, name.removeprefix("data/")
        if isinstance(data, tuple):
            if not bounds_rows.put(path, *data, number):
                return []
            data = path.read_bytes()
        path.write_bytes(data[:512] if short == "start" else data)
        if name == "backup":
            run = site.run(site.host, "--data", site.folder / "restored", "restore", path)
            left = run.returncode and (site.folder / "restored").exists()
            return ends(run) + (["refused, and there is a folder"] if left else [])
        live = "-live" in name or name == "modules.json"
        run = site.look(short, live)
        found, now = ends(run), site.content()
        if found:
            return found
        seen, changed, count = self.controls[short if short in WRITES else "", live]
        told = run.stderr + json.dumps([row for row in rows(run) if not row.get("ok")])
        aside = [each for each in now.keys() - self.whole.keys() if "damaged" in each]
        if any(now[each] != data for each in aside):
            found.append(f"was set aside with other bytes: {aside}")
        lost = set()
        if run.returncode == 2:
            changed = set()
        elif len(rows(run)) != count:
            found.append(f"{len(rows(run))} replies to {count} commands: {run.stderr[-300:]}")
        else:
            lost = {part for part, value in data_seen(rows(run)).items() if seen[part] != value}
        allowed = next(losses for start, losses in LOSSES.items() if short.startswith(start))
        if lost - allowed:
            found.append(f"lost {sorted(lost - allowed)}: {told[:300]}")
        refused = aside or run.returncode in (2, 3)
        if refused and not any(word in told for word in (path.name, "'module configure'", "in format")):
            found.append(f"is refused, and not named: {told[:300]}")
        if refused and self.tells_fields and field.rpartition(".")[2] not in told:
            found.append(f"is refused without the field: {told[:300]}")
        may_change = changed | ALWAYS | {name} | (TAKES if short in self.taken else set())
        # A session and its tokens are lost together, and renewed together.
        may_change |= {each for each in now.keys() | self.whole.keys()
                       if "-live" in each and (lost or short.startswith("tokens")) or each.startswith(name)}
        if other := site.changed(now) - may_change - set(aside):
            found.append(f"changed {sorted(other)}: {told[:200]}")
        return found


def fields(name, data):
    """The numbers in a file: the field, start and end of each."""
    seen, line = collections.Counter(), ""
    for match in (WORDS if name.endswith(("crash", "start")) else JSON).finditer(data):
        line = match[1] or line
        seen[line] += match[2] is not None
        if match[2] is not None and seen[line] <= TIMES:
            yield line.decode(), *match.span(2)


def perform(cases, part, sites, every):
    """Tries the cases of a part, on all sites at once."""
    def one(case):
        site = sites.get()
        try:
            return cases.wrong(site, *case)
        except subprocess.TimeoutExpired:
            return [f"did not end within {PATIENCE} s"]
        finally:
            sites.put(site)
    chosen = list(getattr(cases, part)())[::every]
    with concurrent.futures.ThreadPoolExecutor(sites.qsize()) as pool:
        for case, found in zip(chosen, pool.map(one, chosen)):
            yield f"{case[0]}, {case[1]}", case[2], found


def main():
    sent = {"options": bounds_sent.options, "socket": bounds_sent.socket, "mcp": bounds_sent.mcp}
    parser = faults.parser(__doc__)
    parser.add_argument("--fixture", default=faults.ROOT / "Tests" / "Transcripts" / "fixture")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--fields", action="store_true")
    parser.add_argument("parts", nargs="*", help=", ".join(("files", "rows", *sent)))
    options = parser.parse_args()
    figures, broken = [], 0
    with tempfile.TemporaryDirectory(prefix="atrium-") as folder, Server() as server:
        folder = pathlib.Path(folder)
        site, taken = fill(options, folder / "first", server)
        sites = queue.Queue()
        for number in range(os.cpu_count()):
            sites.put(Site(options.host, folder / str(number), copied=site.folder))
        cases = Cases(sites.queue[0], taken, options.fields)
        for site in sites.queue:
            site.whole = cases.whole
        for part in options.parts or ("files", "rows", *sent):
            began, count = time.monotonic(), 0
            site.renew()
            for what, number, found in (sent[part](site, options.every) if part in sent
                                        else perform(cases, part, sites, options.every)):
                count += 1
                broken += bool(found)
                for fault in found:
                    print(f"{part}: {what}, {number}: {fault}", flush=True)
            figures.append(f"{part}: {count:,} in {time.monotonic() - began:.0f} s")
    print(f"{', '.join(figures)}; {broken} numbers were not handled")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
