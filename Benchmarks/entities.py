"""Lists of many entities through the running host, against the same SQL through SQLite's C API."""
import contextlib
import dataclasses
import os
import random
import shutil
import sqlite3

from tools import Figure, Host, Program

SIZES = [10_000, 100_000, 1_000_000]
BATCHES = 9
LONGEST_BATCH, MOST_COMMANDS = 0.15e9, 200

# The statements of Plugins/Entities/Services/EntityQueries.swift. That both find the same rows is checked
# before anything is timed; that both pay the same for it is not, so look there when a plan changes.
PAGE = (
    "SELECT id, name, category, notes, createdAt, updatedAt FROM entities{filter} "
    "ORDER BY {order} LIMIT ? OFFSET ?")
TOTAL = "SELECT count FROM entityTotal"
TOTAL_OF_CATEGORY = "SELECT count FROM categoryTotals WHERE categoryKey = ?"
TOTAL_OF_SEARCH = "SELECT count(*) FROM entities{filter}"
IN_CATEGORY, FOUND = " WHERE categoryKey = ?", " WHERE instr(searchKey, ?) > 0"
ORDERS = {
    "name": "nameKey, id", "-name": "nameKey DESC, id DESC",
    "oldest": "createdAt, id", "newest": "createdAt DESC, id DESC"}
COLUMNS = "name, category, notes, createdAt, updatedAt, nameKey, categoryKey, searchKey"
INSERT = f"INSERT INTO entities ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

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
    """Entities as people would name them, the same in every run."""
    chance = random.Random(7)
    for number in range(1, count + 1):
        name = f"{chance.choice(ADJECTIVES)} {chance.choice(NOUNS)} {chance.randrange(10 ** 6)}"
        category = chance.choice(CATEGORIES)
        notes = RARE if number % 1000 == 0 else chance.choice(NOTES)
        time = 1_700_000_000_000_000 + number * 1_000_000
        key = "\x1f".join([name, category or "", notes or ""]).lower()
        yield name, category, notes, time, time, name.lower(), (category or "").lower(), key


def fill(path, count):
    """Writes entities as the module does; its triggers count them."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA cache_size = -1000000")
        database.execute("PRAGMA synchronous = OFF")
        with database: database.executemany(INSERT, rows(count))
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@dataclasses.dataclass
class Case:
    """Commands that take turns, and the SQL that each comes down to: statements, each with its arguments."""
    what: str
    commands: list
    statements: list
    kind: str = "read"
    # What the service is asked: sort, page, size, category and search of a page; None where it has no part.
    query: list = None
    # Where the host has to be before, so that the commands mean something.
    place: str = None


def page(what, commands, sort="name", number=1, size=20, category=None, search=None, place=None):
    filter, total, order = "", TOTAL, ORDERS[sort]
    if category: filter, total = IN_CATEGORY, TOTAL_OF_CATEGORY
    if search: filter, total, order = FOUND, TOTAL_OF_SEARCH.format(filter=FOUND), "+" + order
    words = ["t" + word.lower() for word in (category, search) if word]
    query = None if place else [sort, str(number), str(size), category or "-", search or "-"]
    return Case(what, commands, [
        [total, *words],
        [PAGE.format(filter=filter, order=order), *words, f"i{size}", f"i{(number - 1) * size}"]],
        query=query, place=place)


def cases(count):
    middle = count // 2 // 20 + 1
    texts = name, category, notes = "Bench lamp", "Lighting", "Made by the benchmark."
    keys = [name.lower(), category.lower(), "\x1f".join([name, category, notes]).lower()]
    return [
        *(page(f"page 1, sort {sort}", [f"entities?sort={sort}"], sort) for sort in ORDERS),
        page("page 1 of 500 rows", ["entities?size=500"], size=500),
        page("page in the middle", [f"entities?page={middle}"], number=middle),
        page("category", ["entities?category=Seats"], category="Seats"),
        page("search", ["entities?search=zirconium"], search="zirconium"),
        page("next page of an open list", ["next", "previous"], number=2, place="entities?page=2"),
        Case(
            "create", [f"entities create --name '{name}' --category {category} --notes '{notes}'"],
            [[INSERT, *("t" + text for text in texts), "c", "c", *("t" + key for key in keys)]],
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
        shutil.rmtree(data)
    return figures


def compare(case, count, host, reference, service):
    """Two figures: the whole command less `where`, and the module's service alone; each against the C API."""
    reference.tell("clear\n" + "".join("\t".join(["statement", *words]) + "\n" for words in case.statements))
    if case.place: host.run(f"open {case.place}")
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
    # An even number, so that commands that take turns end where they began.
    slowest = max(turn(2)[0] / 2 for turn in turns + turns)
    times = max(2, min(MOST_COMMANDS, int(LONGEST_BATCH / slowest) // 2 * 2))
    samples = {turn: [] for turn in turns}
    for round in range(BATCHES):
        for index in range(len(turns)):
            turn = turns[(round + index) % len(turns)]
            samples[turn].append([nanoseconds / times / 1e3 for nanoseconds in turn(times)])
    if case.place: host.run("root")

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


def check(case, page, line):
    """Refuses to compare what does not find the same."""
    total, *ids = map(int, line.split())
    if page["total"] != total or [row["id"] for row in page["rows"]] != ids:
        raise RuntimeError(f"{case.what}: the host and the C API find different rows.")
