"""Measures lists of many entities in the running host, against the same SQL through SQLite's C API."""
import contextlib
import csv
import dataclasses
import os
import random
import shutil
import sqlite3

from tools import Figure, Host, Program

SIZES = [10_000, 100_000, 1_000_000]
BATCHES = 9
# The rows of an import, and the number of imports, which make the list longer for both sides.
IMPORTED, IMPORTS = 10_000, 3
LONGEST_BATCH, MOST_COMMANDS = 0.15e9, 200

# The statements of Plugins/Entities/Services/Local/EntityQueries.swift. Before measuring, the script checks
# that both sides find the same rows, but not that their query plans match; compare those after changes.
PAGE = (
    "SELECT id, name, category, notes, createdAt, updatedAt FROM {source}{filter} "
    "ORDER BY {order} LIMIT ? OFFSET ?")
TOTAL = "SELECT count FROM entityTotal"
TOTAL_OF_CATEGORY = "SELECT CAST(coalesce(sum(count), 0) AS bigint) FROM categoryTotals WHERE categoryKey = ?"
TOTAL_OF_SEARCH = "SELECT count(*) FROM {source}{filter}"
IN_CATEGORY, FOUND = "categoryKey = ?", "instr(searchKey, ?) > 0"
FOUND_BY_INDEX = "entitySearch MATCH ?"
INDEXED = "entitySearch CROSS JOIN entities ON entities.id = entitySearch.rowid"
ORDERS = {
    "name": "nameKey, id", "-name": "nameKey DESC, id DESC",
    "oldest": "createdAt, id", "newest": "createdAt DESC, id DESC"}
COLUMNS = "name, category, notes, createdAt, updatedAt, nameKey, categoryKey, searchKey"
INSERT = f"INSERT INTO entities ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
INDEX = "INSERT INTO entitySearch (rowid, searchKey) VALUES (last_insert_rowid(), ?)"

ADJECTIVES = (
    "Blue Red Green Paper Brass Oak Small Large Old New Folding Round Heavy Light Silent Wild").split()
NOUNS = (
    "lamp chair table shelf rug kettle fern radio mirror clock basket bench vase drawer pillow "
    "ladder").split()
CATEGORIES = "Lighting Seats Tables Storage Textiles Kitchen Plants Electronics Garden".split() + [None]
NOTES = [
    None, "Stands by the reading chair.", "Needs a new bulb before winter.", "From the flea market, 2014.",
    "Oil it every spring, and keep it away from the window."]
RARE = "Made of zirconium."


def rows(count):
    """Generates realistic entities, the same in every run."""
    chance = random.Random(7)
    for number in range(1, count + 1):
        name = f"{chance.choice(ADJECTIVES)} {chance.choice(NOUNS)} {chance.randrange(10 ** 6)}"
        category = chance.choice(CATEGORIES)
        notes = RARE if number % 1000 == 0 else chance.choice(NOTES)
        time = 1_700_000_000_000_000 + number * 1_000_000
        key = "\x1f".join([name, category or "", notes or ""]).lower()
        yield name, category, notes, time, time, name.lower(), (category or "").lower(), key


def fill(path, count):
    """Writes entities as the module does; its triggers count them, and the index is built at the end."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA cache_size = -1000000")
        database.execute("PRAGMA synchronous = OFF")
        with database:
            database.executemany(INSERT, rows(count))
            database.execute("INSERT INTO entitySearch (entitySearch) VALUES ('rebuild')")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@dataclasses.dataclass
class Case:
    """Commands that run in turn, and the equivalent SQL: statements with their arguments.

    Without commands, the service alone is measured.
    """
    what: str
    commands: list
    statements: list
    kind: str = "read"
    # The arguments of the service: sort, page, size, category and search of a page; None if it takes no part.
    query: list = None
    # The link at which the commands are run.
    link: str = None


def page(what, commands, sort="name", number=1, size=20, category=None, search=None, link=None):
    source, conditions, total, order = "entities", [], TOTAL, ORDERS[sort]
    if category:
        conditions, total = [IN_CATEGORY], TOTAL_OF_CATEGORY
    words = ["t" + word.lower() for word in (category, search) if word]
    if search:
        order, is_indexed = "+" + order, len(search) >= 3
        conditions.append(FOUND_BY_INDEX if is_indexed else FOUND)
        if is_indexed: source, words[-1] = INDEXED, f't"{search.lower()}"'
        counted = "entitySearch" if is_indexed and not category else source
        total = TOTAL_OF_SEARCH.format(source=counted, filter=" WHERE " + " AND ".join(conditions))
    filter = " WHERE " + " AND ".join(conditions) if conditions else ""
    query = None if link else [sort, str(number), str(size), category or "-", search or "-"]
    return Case(what, commands, [
        [total, *words],
        [PAGE.format(source=source, filter=filter, order=order), *words, f"i{size}", f"i{(number - 1) * size}"]],
        query=query, link=link)


def cases(count):
    middle = count // 2 // 20 + 1
    texts = name, category, notes = "Bench lamp", "Lighting", "Made by the benchmark."
    keys = [name.lower(), category.lower(), "\x1f".join([name, category, notes]).lower()]
    return [
        *(page(f"page 1, sort {sort}", [f"entities?sort={sort}"], sort) for sort in ORDERS),
        page("page 1 of 500 rows", ["entities?size=500"], size=500),
        page("page in the middle", [f"entities?page={middle}"], number=middle),
        page("category", ["entities?category=Seats"], category="Seats"),
        page("search, 1 of 1,000 found", ["entities?search=zirconium"], search="zirconium"),
        page("search, 1 of 16 found", ["entities?search=lamp"], search="lamp"),
        page(
            "search in a category", ["entities?search=zirconium&category=Seats"], category="Seats",
            search="zirconium"),
        page("search for two letters", ["entities?search=zi"], search="zi"),
        page("next page of an open list", ["next", "previous"], number=2, link="entities?page=2"),
        Case(
            "create", [f"entities create --name '{name}' --category {category} --notes '{notes}'"],
            [
                [INSERT, *("t" + text for text in texts), "c", "c", *("t" + key for key in keys)],
                [INDEX, "t" + keys[-1]]],
            kind="write", query=[]),
    ]


def measure(build, folder, sizes):
    figures = []
    for count in sizes:
        data = os.path.join(folder, f"entities-{count}")
        build.script(data, "entities")
        path = os.path.join(data, "Entities.sqlite")
        fill(path, count)
        copies = [shutil.copyfile(path, f"{path}-{name}") for name in ("reference", "service")]
        with Host(build, data, "--json") as host, Program(build.reference, copies[0]) as reference, \
                Program(build.service, copies[1]) as service:
            for case in cases(count): figures += compare(case, count, host, reference, service)
            figures.append(compare_imports(count, folder, reference, service))
        shutil.rmtree(data)
    return figures


def compare(case, count, host, reference, service):
    """Two figures: the whole command minus `where`, and the service alone; each against the C API."""
    reference.tell("clear\n" + "".join("\t".join(["statement", *words]) + "\n" for words in case.statements))
    if case.link: host.run(f"open {case.link}")
    elif case.kind == "read": check(case, host.run(case.commands[0]), reference.ask("show"))

    def command(times):
        return host.batch([case.commands[index % len(case.commands)] for index in range(times)])

    def where(times):
        return host.batch(["where"] * times)

    def c_api(times):
        return tuple(map(int, reference.ask(f"run\t{case.kind}\t{times}").split()))

    def alone(times):
        kind = "page" if case.kind == "read" else "create"
        return tuple(map(int, service.ask("\t".join([kind, str(times), *case.query])).split()[:2]))

    turns = [command, c_api, where] + ([alone] if case.query is not None else [])
    # An even number, so that alternating commands end where they began.
    slowest = max(turn(2)[0] / 2 for turn in turns + turns)
    times = max(2, min(MOST_COMMANDS, int(LONGEST_BATCH / slowest) // 2 * 2))
    samples = {turn: [] for turn in turns}
    for round in range(BATCHES):
        for index in range(len(turns)):
            turn = turns[(round + index) % len(turns)]
            samples[turn].append([nanoseconds / times / 1e3 for nanoseconds in turn(times)])
    if case.link: host.run("root")

    column = lambda turn, clock: [sample[clock] for sample in samples[turn]]
    net = lambda clock: [
        max(whole - shell, 0.001) for whole, shell in zip(column(command, clock), column(where, clock))]
    details = {
        "case": case.what, "entities": count, "commandsInBatch": times, "wholeCommand": column(command, 0),
        "where": column(where, 0)}
    figure = lambda layer, wall, processor: Figure(
        f"{count:,} entities, {layer}: {case.what}", "C API", "µs", wall, column(c_api, 0), 2.0,
        processor_ours=processor, processor_reference=column(c_api, 1), details=details | {"layer": layer})
    figures = [figure("command", net(0), net(1))]
    if alone in samples: figures.append(figure("service", column(alone, 0), column(alone, 1)))
    return figures


def import_files(folder):
    """Writes the same rows as CSV, and as tab-separated values for the SQL."""
    csv_path, values_path = (os.path.join(folder, name) for name in ("import.csv", "import.values"))
    with open(csv_path, "w", newline="") as text, open(values_path, "w") as values:
        writer = csv.writer(text)
        writer.writerow(["name", "category", "notes"])
        for name, category, notes, _, _, *keys in rows(IMPORTED):
            writer.writerow([name, category or "", notes or ""])
            values.write("\t".join([name, category or "", notes or "", *keys]) + "\n")
    return csv_path, values_path


def compare_imports(count, folder, reference, service):
    """One figure: the service reads, checks and imports a CSV file, against the inserts alone."""
    csv_path, values_path = import_files(folder)
    lines = {
        service: f"import\t1\t{csv_path}",
        reference: f"import\t{values_path}"}
    samples = {program: [] for program in lines}
    for round in range(IMPORTS + 1):
        for program in sorted(lines, key=lambda program: (program is service) == round % 2):
            answer = list(map(int, program.ask(lines[program]).split()))
            if answer[2] != IMPORTED: raise RuntimeError(f"{answer[2]} of {IMPORTED} rows were imported.")
            # The first import of each fills caches.
            if round > 0: samples[program].append([nanoseconds / IMPORTED / 1e3 for nanoseconds in answer[:2]])
    column = lambda program, clock: [sample[clock] for sample in samples[program]]
    return Figure(
        f"{count:,} entities, service: import of {IMPORTED:,} rows, each", "C API", "µs", column(service, 0),
        column(reference, 0), processor_ours=column(service, 1), processor_reference=column(reference, 1),
        details={"case": "import", "entities": count, "layer": "service"})


def check(case, page, line):
    """Fails unless both sides find the same rows."""
    total, *ids = map(int, line.split())
    if page["total"] != total or [row["id"] for row in page["rows"]] != ids:
        raise RuntimeError(f"{case.what}: the host and the C API find different rows.")
