"""Measures lists in a PostgreSQL database against the same SQL through libpq, and how soon hosts hear of changes."""
import csv
import json
import os
import select
import statistics
import subprocess
import sys
import time

from entities import BATCHES, IMPORTED, IMPORTS, LONGEST_BATCH, MOST_COMMANDS, Case, import_files, rows
from programs import ROOT
from tools import Figure, Host, Program

SIZES = [10_000, 1_000_000]
GOAL = 1.5
# How often a host changes something of which another one hears.
CHANGES = 60
# Milliseconds until another host has shown it, at the median.
HEARD = 50

# The statements of Plugins/Entities/Services/Local/EntityQueries.swift for PostgreSQL, as in entities.py.
PAGE = (
    "SELECT id, name, category, notes, createdAt, updatedAt FROM entities{filter} "
    "ORDER BY {order} LIMIT ${limit} OFFSET ${offset}")
TOTAL = "SELECT count(*) FROM entities{filter}"
ORDERS = {
    "name": "nameKey, id", "-name": "nameKey DESC, id DESC",
    "oldest": "createdAt, id", "newest": "createdAt DESC, id DESC"}
INSERT = (
    "INSERT INTO entities (name, category, notes, nameKey, categoryKey, searchKey, createdAt, updatedAt) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id")


def page(what, sort="name", number=1, size=20, category=None, search=None):
    conditions, words = [], []
    for column, word in (("categoryKey =", category), ("searchKey LIKE", search and f"%{search}%")):
        if not word: continue
        words.append("t" + word.lower())
        conditions.append(f"{column} ${len(words)}")
    filter = " WHERE " + " AND ".join(conditions) if conditions else ""
    text = PAGE.format(filter=filter, order=ORDERS[sort], limit=len(words) + 1, offset=len(words) + 2)
    return Case(
        what, [], [[TOTAL.format(filter=filter), *words], [text, *words, f"i{size}", f"i{(number - 1) * size}"]],
        query=[sort, str(number), str(size), category or "-", search or "-"])


def cases(count):
    texts = name, category, notes = "Bench lamp", "Lighting", "Made by the benchmark."
    keys = [name.lower(), category.lower(), "\x1f".join([name, category, notes]).lower()]
    return [
        page("page 1, by name"), page("page 1, newest first", sort="newest"),
        page("page in the middle", number=count // 2 // 20 + 1), page("category", category="Seats"),
        page("search, 1 of 1,000 found", search="zirconium"), page("search, 1 of 16 found", search="lamp"),
        Case(
            "create", [], [[INSERT, *("t" + text for text in texts), *("t" + key for key in keys), "c", "c"]],
            kind="write", query=[]),
    ]


class Server:
    """A private server in a folder of its own; use it in a `with` statement."""
    def __enter__(self):
        script = os.path.join(ROOT, "Demos", "postgres", "server.py")
        self.process = subprocess.Popen([sys.executable, script, "run"], stdout=subprocess.PIPE, text=True)
        return self.process.stdout.readline().removeprefix("Listening on ").strip()

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def measure(build, folder, sizes):
    figures = []
    for count in sizes:
        with Server() as url:
            data = os.path.join(folder, f"postgres-{count}")
            with Host(build, data, "--json", "--database", url) as host: host.run("entities")
            path = os.path.join(folder, "fill.csv")
            with open(path, "w", newline="") as text:
                writer = csv.writer(text)
                writer.writerow(["name", "category", "notes"])
                for row in rows(count): writer.writerow([word or "" for word in row[:3]])
            with Program(build.service, url) as service, Program(build.libpq, url) as reference:
                if service.ask(f"import\t1\t{path}").split()[2] != str(count): raise RuntimeError("not filled")
                settle(url)
                for case in cases(count): figures.append(compare(case, count, reference, service))
                figures.append(compare_imports(count, folder, reference, service))
            if count == sizes[0]: figures.append(hearing(build, folder, url))
    return figures


def settle(url):
    """Has the server know what the tables are like, as it does by itself after a minute."""
    import ctypes
    import ctypes.util
    pq = ctypes.CDLL(ctypes.util.find_library("pq"))
    pq.PQconnectdb.restype = pq.PQexec.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(pq.PQconnectdb(url.encode()))
    pq.PQexec(connection, b"VACUUM ANALYZE")
    pq.PQfinish(connection)


def compare(case, count, reference, service):
    """One figure: the service alone against libpq."""
    reference.tell("clear\n" + "".join("\t".join(["statement", *words]) + "\n" for words in case.statements))
    kind = "page" if case.kind == "read" else "create"
    if case.kind == "read":
        shown = reference.ask("show").split()
        found = int(service.ask("\t".join([kind, "1", *case.query])).split()[2])
        if len(shown) - 1 != found: raise RuntimeError(f"{case.what}: {found} rows, libpq has {len(shown) - 1}")

    def alone(times):
        return tuple(map(int, service.ask("\t".join([kind, str(times), *case.query])).split()[:2]))

    def libpq(times):
        return tuple(map(int, reference.ask(f"run\t{case.kind}\t{times}").split()))

    slowest = max(turn(2)[0] / 2 for turn in (alone, libpq, alone, libpq))
    times = max(1, min(MOST_COMMANDS, int(LONGEST_BATCH / slowest)))
    samples = {turn: [] for turn in (alone, libpq)}
    for round in range(BATCHES):
        for turn in ((alone, libpq), (libpq, alone))[round % 2]:
            samples[turn].append([nanoseconds / times / 1e3 for nanoseconds in turn(times)])
    column = lambda turn, clock: [sample[clock] for sample in samples[turn]]
    return Figure(
        f"{count:,} entities in PostgreSQL: {case.what}", "libpq", "µs", column(alone, 0), column(libpq, 0), GOAL,
        column(alone, 1), column(libpq, 1), details={"case": case.what, "entities": count})


def compare_imports(count, folder, reference, service):
    csv_path, values_path = import_files(folder)
    lines = {service: f"import\t1\t{csv_path}", reference: f"import\t{values_path}"}
    samples = {program: [] for program in lines}
    for round in range(IMPORTS + 1):
        for program in sorted(lines, key=lambda program: (program is service) == round % 2):
            answer = list(map(int, program.ask(lines[program]).split()))
            if answer[2] != IMPORTED: raise RuntimeError(f"{answer[2]} of {IMPORTED} rows were imported.")
            if round > 0: samples[program].append([nanoseconds / IMPORTED / 1e3 for nanoseconds in answer[:2]])
    column = lambda program, clock: [sample[clock] for sample in samples[program]]
    return Figure(
        f"{count:,} entities in PostgreSQL: import of {IMPORTED:,} rows, each", "libpq", "µs", column(service, 0),
        column(reference, 0), GOAL, column(service, 1), column(reference, 1),
        details={"case": "import", "entities": count})


def hearing(build, folder, url):
    """One figure: the time from the answer to a change at one host until another one has shown it."""
    options = ["--json", "--database", url]
    waits = []
    with Host(build, os.path.join(folder, "speaks"), *options) as speaker, \
            Host(build, os.path.join(folder, "hears"), *options) as hearer:
        speaker.run("entities")
        hearer.tell(f"live entities?sort=newest --changes {CHANGES + 1} --for 60\n")
        line = hearer.process.stdout.readline()
        time.sleep(1)
        for number in range(CHANGES):
            time.sleep(0.15)
            speaker.run(f"entities create --name 'Heard {number}'")
            answered = time.perf_counter_ns()
            while f"Heard {number}" not in line.decode():
                if not select.select([hearer.process.stdout], [], [], 10)[0]: raise RuntimeError("nothing is heard")
                line = hearer.process.stdout.readline()
            waits.append(max(time.perf_counter_ns() - answered, 0) / 1e6)
    print(f"heard after {statistics.median(waits):.1f} ms, at most {max(waits):.1f} ms", file=sys.stderr)
    return Figure(
        "a change at one host, until another one shows it", "bound", "ms", waits, [HEARD] * len(waits), 1.0,
        details={"case": "heard", "entities": SIZES[0]})
