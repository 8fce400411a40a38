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
PAGE = "SELECT id, name, category, notes, createdAt, updatedAt FROM entities{filter} ORDER BY {order} LIMIT ? OFFSET ?"
TOTAL = "SELECT count FROM entityTotal"
TOTAL_OF_CATEGORY = "SELECT count FROM categoryTotals WHERE categoryKey = ?"
TOTAL_OF_SEARCH = "SELECT count(*) FROM entities{filter}"
IN_CATEGORY, FOUND = " WHERE categoryKey = ?", " WHERE instr(searchKey, ?) > 0"
ORDERS = {
    "name": "nameKey, id", "-name": "nameKey DESC, id DESC",
    "oldest": "createdAt, id", "newest": "createdAt DESC, id DESC"}
COLUMNS = "name, category, notes, createdAt, updatedAt, nameKey, categoryKey, searchKey"
INSERT = f"INSERT INTO entities ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

ADJECTIVES = "Blue Red Green Paper Brass Oak Small Large Old New Folding Round Heavy Light Silent Wild".split()
NOUNS = "lamp chair table shelf rug kettle fern radio mirror clock basket bench vase drawer pillow ladder".split()
CATEGORIES = "Lighting Seats Tables Storage Textiles Kitchen Plants Electronics Garden".split() + [None]
NOTES = [None, "Stands by the reading chair.", "Needs a new bulb before winter.", "From the flea market, 2014.",
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
    # Where the host has to be before, so that the commands mean something.
    place: str = None


def page(what, commands, order, filter="", total=TOTAL, arguments=(), size=20, offset=0, **others):
    words = ["t" + argument for argument in arguments]
    sql = PAGE.format(filter=filter, order=order)
    return Case(what, commands, [[total.format(filter=filter), *words], [sql, *words, f"i{size}", f"i{offset}"]], **others)


def cases(count):
    middle = count // 2 // 20
    name, category, notes = "Bench lamp", "Lighting", "Made by the benchmark."
    keys = [name.lower(), category.lower(), "\x1f".join([name, category, notes]).lower()]
    return [
        *(page(f"page 1, sort {sort}", [f"entities?sort={sort}"], order) for sort, order in ORDERS.items()),
        page("page 1 of 500 rows", ["entities?size=500"], ORDERS["name"], size=500),
        page("page in the middle", [f"entities?page={middle + 1}"], ORDERS["name"], offset=middle * 20),
        page("category", ["entities?category=Seats"], ORDERS["name"], IN_CATEGORY, TOTAL_OF_CATEGORY, ["seats"]),
        page("search", ["entities?search=zirconium"], "+" + ORDERS["name"], FOUND, TOTAL_OF_SEARCH, ["zirconium"]),
        page("next page of an open list", ["next", "previous"], ORDERS["name"], offset=20, place="entities?page=2"),
        Case(
            "create", [f"entities create --name '{name}' --category {category} --notes '{notes}'"],
            [[INSERT, *("t" + text for text in (name, category, notes)), "c", "c", *("t" + key for key in keys)]],
            kind="write"),
    ]


def measure(build, folder, sizes):
    figures = []
    for count in sizes:
        data = os.path.join(folder, f"entities-{count}")
        build.script(data, "entities")
        path, copy = os.path.join(data, "Entities.sqlite"), os.path.join(data, "reference.sqlite")
        fill(path, count)
        shutil.copyfile(path, copy)
        with Host(build, data, "--json") as host, Program(build.reference, copy) as reference:
            for case in cases(count): figures.append(compare(case, count, host, reference))
        shutil.rmtree(data)
    return figures


def compare(case, count, host, reference):
    reference.tell("clear\n" + "".join("\t".join(["statement", *words]) + "\n" for words in case.statements))
    if case.place: host.run(f"open {case.place}")
    elif case.kind == "read": check(case, host.run(case.commands[0]), reference.ask("show"))

    def ours(commands):
        return host.batch([case.commands[index % len(case.commands)] for index in range(commands)])

    def theirs(commands):
        return tuple(map(int, reference.ask(f"run\t{case.kind}\t{commands}").split()))

    # An even number, so that commands that take turns end where they began.
    theirs(2)
    slower = max(ours(2)[0], ours(2)[0]) / 2
    commands = max(2, min(MOST_COMMANDS, int(LONGEST_BATCH / slower) // 2 * 2))
    rounds = []
    for round in range(BATCHES):
        turns = [lambda: ours(commands), lambda: theirs(commands), lambda: host.batch(["where"] * commands)]
        results = {}
        for turn in range(3):
            index = (round + turn) % 3
            results[index] = [nanoseconds / commands / 1e3 for nanoseconds in turns[index]()]
        rounds.append(results)
    if case.place: host.run("root")

    column = lambda index, clock: [results[index][clock] for results in rounds]
    net = lambda clock: [
        max(whole - shell, 0.001) for whole, shell in zip(column(0, clock), column(2, clock))]
    figure = Figure(
        f"{count:,} entities: {case.what}", "C API", "µs", net(0), column(1, 0), 2.0,
        processor_ours=net(1), processor_reference=column(1, 1))
    figure.details = {
        "case": case.what, "entities": count, "commandsInBatch": commands, "wholeCommand": column(0, 0),
        "where": column(2, 0), "wholeCommandProcessor": column(0, 1)}
    return figure


def check(case, page, line):
    """Refuses to compare what does not find the same."""
    total, *ids = map(int, line.split())
    if page["total"] != total or [row["id"] for row in page["rows"]] != ids:
        raise RuntimeError(f"{case.what}: the host and the C API find different rows.")
