"""Measures lists in a PostgreSQL database, and how soon hosts hear of changes.

Lists are measured against the same SQL through libpq and against SQLite. Which processors the threads wake up on changes
the time of a short query threefold, for libpq too; so the goal holds where all run on one processor, and the figures
without a goal have the processors that the kernel gives.
"""
import contextlib
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
# Changes a second at one host, for so many seconds, beside commands at another one with an open list.
CHANGE_RATE, CHANGE_SECONDS = 1_000, 8
# Milliseconds that a command may take longer meanwhile, at the median.
DELAY = 1.0

# The statements of Plugins/Entities/Services/Local/EntityQueries.swift for PostgreSQL, as in entities.py.
COLUMNS = "id, name, category, notes, createdAt, updatedAt"
PAGE = f"SELECT {COLUMNS} FROM entities{{filter}} ORDER BY {{order}} LIMIT ${{limit}} OFFSET ${{offset}}"
FAR_PAGE = (
    f"SELECT {COLUMNS} FROM entities JOIN (SELECT id FROM entities{{filter}} ORDER BY {{order}} "
    "LIMIT ${limit} OFFSET ${offset}) AS page USING (id) ORDER BY {order}")
ORDERS = {
    "name": "nameKey, id", "-name": "nameKey DESC, id DESC",
    "oldest": "createdAt, id", "newest": "createdAt DESC, id DESC"}
INSERT = (
    "INSERT INTO entities (name, category, notes, nameKey, categoryKey, searchKey, createdAt, updatedAt) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id")


def page(what, sort="name", number=1, size=20, category=None, search=None, after=None):
    """`after` is the key and the id of the entity before the page, if the list shows that already."""
    words = ([f"t{after[0]}", f"i{after[1]}"] if after else []) + [
        "t" + word.lower() for word in (category, search and f"%{search}%") if word]
    conditions = (["(nameKey, id) > ($1, $2)"] if after else []) + (["categoryKey = ${}"] if category else []) + (
        ["searchKey LIKE ${}"] if search else [])
    where = lambda first: " WHERE " + " AND ".join(
        condition.format(first + index) for index, condition in enumerate(conditions)) if conditions else ""
    total = "SELECT count FROM entityTotal"
    if category: total = "SELECT CAST(coalesce(sum(count), 0) AS bigint) FROM categoryTotals WHERE categoryKey = $1"
    if search: total = f"SELECT count(*) FROM entities{where(1)}"
    text = (FAR_PAGE if number > 1 and not after else PAGE).format(
        filter=where(1), order=ORDERS[sort], limit=len(words) + 1, offset=len(words) + 2)
    offset = 0 if after else (number - 1) * size
    return Case(
        what, [], [[total, *words[2 if after else 0:]], [text, *words, f"i{size}", f"i{offset}"]],
        query=["next" if after else "page", sort, str(number), str(size), category or "-", search or "-"])


def cases(count, server):
    middle = count // 2 // 20 + 1
    row = f"FROM \"Entities\".entities ORDER BY nameKey, id LIMIT 1 OFFSET {(middle - 1) * 20 - 1}"
    before = [server.query(f"SELECT {column} {row}")[0] for column in ("nameKey", "id")]
    texts = name, category, notes = "Bench lamp", "Lighting", "Made by the benchmark."
    keys = [name.lower(), category.lower(), "\x1f".join([name, category, notes]).lower()]
    return [
        page("page 1, by name"), page("page 1, newest first", sort="newest"),
        page("page in the middle", number=middle), page("next page, in the middle", number=middle, after=before),
        page("category", category="Seats"),
        page("search, 1 of 1,000 found", search="zirconium"), page("search, 1 of 16 found", search="lamp"),
        Case(
            "create", [], [[INSERT, *("t" + text for text in texts), *("t" + key for key in keys), "c", "c"]],
            kind="write", query=["create"]),
    ]


class Server:
    """A private server in a folder of its own; use it in a `with` statement."""
    def __enter__(self):
        script = os.path.join(ROOT, "Demos", "postgres", "server.py")
        self.process = subprocess.Popen([sys.executable, script, "run"], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().removeprefix("Listening on ").strip()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def query(self, sql):
        """The first column of the rows."""
        import ctypes
        import ctypes.util
        pq = ctypes.CDLL(ctypes.util.find_library("pq"))
        for function in (pq.PQconnectdb, pq.PQexec): function.restype = ctypes.c_void_p
        pq.PQgetvalue.restype = ctypes.c_char_p
        connection = ctypes.c_void_p(pq.PQconnectdb(self.url.encode()))
        result = ctypes.c_void_p(pq.PQexec(connection, sql.encode()))
        values = [pq.PQgetvalue(result, row, 0).decode() for row in range(pq.PQntuples(result))]
        pq.PQclear(result)
        pq.PQfinish(connection)
        return values

    @contextlib.contextmanager
    def on_one_processor(self, *programs):
        """Has the server's processes and those of programs share a processor."""
        all = os.sched_getaffinity(0)
        backends = list(map(int, self.query(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")))
        threads = backends + [
            int(thread) for program in programs for thread in os.listdir(f"/proc/{program.process.pid}/task")]
        for thread in threads: os.sched_setaffinity(thread, {min(all)})
        try: yield
        finally:
            for thread in threads:
                with contextlib.suppress(ProcessLookupError): os.sched_setaffinity(thread, all)


def measure(build, folder, sizes):
    figures = []
    for count in sizes:
        path = os.path.join(folder, "fill.csv")
        with open(path, "w", newline="") as text:
            writer = csv.writer(text)
            writer.writerow(["name", "category", "notes"])
            for row in rows(count): writer.writerow([word or "" for word in row[:3]])
        with Server() as server, Program(build.service, server.url) as service, \
                Program(build.service, os.path.join(folder, f"beside-{count}.sqlite")) as sqlite:
            for program in (service, sqlite):
                if program.ask(f"import\t1\t{path}").split()[2] != str(count): raise RuntimeError("not filled")
            # The server learns by itself what the tables are like, after a minute.
            server.query("VACUUM ANALYZE")
            with Program(build.libpq, server.url) as reference:
                for case in cases(count, server): figures += compare(case, count, server, service, reference, sqlite)
                figures.append(compare_imports(count, folder, reference, service))
            if count == sizes[0]:
                figures.append(hearing(build, folder, server.url))
                figures.append(delaying(build, folder, server.url))
    return figures


def compare(case, count, server, service, reference, sqlite):
    """Three figures of the service: against libpq, on one processor and as it comes, and beside SQLite."""
    reference.tell("clear\n" + "".join("\t".join(["statement", *words]) + "\n" for words in case.statements))
    call, *query = case.query
    if case.kind == "read":
        shown = reference.ask("show").split()
        found = int(service.ask("\t".join([call, "1", *query])).split()[2])
        if len(shown) - 1 != found: raise RuntimeError(f"{case.what}: {found} rows, libpq has {len(shown) - 1}")

    def of(program):
        return lambda times: program.ask("\t".join([call, str(times), *query]))

    def libpq(times):
        return reference.ask(f"run\t{case.kind}\t{times}")

    what, details = f"{count:,} entities in PostgreSQL: {case.what}", {"case": case.what, "entities": count}
    with server.on_one_processor(service, reference):
        alone = in_turns(f"{what}, on one processor", "libpq", of(service), libpq, GOAL, details)
    return [
        alone, in_turns(what, "libpq", of(service), libpq, None, details),
        in_turns(what, "SQLite", of(service), of(sqlite), None, details)]


def in_turns(what, compared_with, ours, other, goal, details):
    """One figure of calls that take a number of times, and answer with nanoseconds of wall and processor time."""
    sample = lambda turn, times: tuple(map(int, turn(times).split()[:2]))
    slowest = max(sample(turn, 2)[0] / 2 for turn in (ours, other, ours, other))
    times = max(1, min(MOST_COMMANDS, int(LONGEST_BATCH / slowest)))
    samples = {turn: [] for turn in (ours, other)}
    for round in range(BATCHES):
        for turn in ((ours, other), (other, ours))[round % 2]:
            samples[turn].append([nanoseconds / times / 1e3 for nanoseconds in sample(turn, times)])
    column = lambda turn, clock: [sample[clock] for sample in samples[turn]]
    return Figure(
        what, compared_with, "µs", column(ours, 0), column(other, 0), goal, column(ours, 1), column(other, 1),
        details=details)


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


def delaying(build, folder, url):
    """One figure: how much longer a command takes at a host with an open list while another host changes it."""
    options = ["--json", "--database", url]
    with Host(build, os.path.join(folder, "changes"), *options) as changer, \
            Host(build, os.path.join(folder, "works"), *options) as worker:
        changer.run("entities")
        worker.run("entities")
        alone = [round_trip(worker) for _ in range(BATCHES)]
        # In a process of its own: the threads of Python take turns.
        pid = os.fork()
        if pid == 0:
            try: change(changer)
            finally: os._exit(0)
        time.sleep(1)
        beside = [round_trip(worker) for _ in range(BATCHES)]
        if os.waitpid(pid, os.WNOHANG) != (0, 0): raise RuntimeError("The changes ended before the commands.")
        os.waitpid(pid, 0)
    return Figure(
        f"a command beside {CHANGE_RATE:,} changes a second of another host, more than alone", "bound", "ms",
        [one - other for one, other in zip(beside, alone)], [DELAY] * BATCHES, 1.0,
        details={"case": "delay", "entities": SIZES[0]})


def change(host):
    """Has a host make changes at a steady pace."""
    begin, batches = time.perf_counter(), CHANGE_SECONDS * 20
    for number in range(batches):
        host.batch(["entities create --name Paced"] * (CHANGE_RATE // 20))
        time.sleep(max(0, begin + (number + 1) / 20 - time.perf_counter()))
    rate = batches * (CHANGE_RATE // 20) / (time.perf_counter() - begin)
    print(f"{rate:,.0f} changes/s", file=sys.stderr)


def round_trip(host):
    """The median time of a command, in milliseconds."""
    times = []
    for _ in range(50):
        start = time.perf_counter_ns()
        host.run("entities")
        times.append((time.perf_counter_ns() - start) / 1e6)
        time.sleep(0.005)
    return statistics.median(times)
