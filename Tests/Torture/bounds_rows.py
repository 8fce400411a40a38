"""Stores numbers in a SQLite database that its schema has no room for; `bounds.py` uses it."""

import re
import sqlite3
from rotation import EMAIL

MAY_LOSE = {
    "session-": {"session", "profile", "stack"}, "Session.sqlite": {"session", "profile"},
    "Entities.sqlite": {"entities"}, "UserProfile.sqlite": {"profile"}, "navigation-": {"stack"},
    "installed.json": {"modules"}, "modules": set(), "": set(),
}
"""The data that may be lost, by the beginning of the file's name."""


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


def integers(path):
    """The integer columns of a database's tables, and the numbers of its header."""
    database, found = sqlite3.connect(path), []
    for table, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        # Those of the search index belong to SQLite.
        if not table.startswith("entitySearch_") and database.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]:
            found += [(table, column) for _, column, kind, *_ in database.execute(f"PRAGMA table_info('{table}')")
                      if kind == "INTEGER" or column == "seq"]
    database.close()
    return [*found, ("PRAGMA", "user_version"), ("PRAGMA", "application_id")]


def whole(number):
    """An integer, or one that nothing holds."""
    return int(number) if re.fullmatch(r"-?\d+", number) else 2 ** 70


def put(path, table, column, number):
    """Stores a number in the first row, in a strict table too; false if SQLite has no room for it."""
    try:
        if table == "PRAGMA":
            change(path, f"PRAGMA {column} = {number}")
            return True
        [sql] = change(path, "SELECT sql FROM sqlite_master WHERE name = ?", table)
        define = "UPDATE sqlite_master SET sql = ? WHERE name = ? AND type = 'table'"
        change(path, define, re.sub(r"\bSTRICT\b(\s*,)?", "", sql), table)
        change(path, f'UPDATE "{table}" SET "{column}" = ? WHERE "{column}" IS (SELECT min("{column}") FROM "{table}")',
               whole(number) if -(2 ** 63) <= whole(number) < 2 ** 63 else number.strip('"'))
        change(path, define, sql, table)
        return True
    except sqlite3.IntegrityError:
        return False


def change(path, statement, *values):
    """Executes a statement that may change the schema; returns the first row."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        database.executescript("PRAGMA writable_schema = ON; PRAGMA synchronous = OFF")
        return database.execute(statement, values).fetchone()
    finally:
        database.close()
