#!/usr/bin/env python3
"""Imports a large file on one host while others make small changes in the same PostgreSQL database.

    Tests/Torture/imports.py [--host FILE] [--modules DIR] [--rows N] [--writers N]
                             [--pause SECONDS] [--limit SECONDS]

Each writer is a host that creates, renames and deletes entities, one after the other. None of its changes fails, and
none takes longer than the limit; in the end all rows and all entities of the writers are there. Prints the longest waits;
prints the first failure and exits 1 if there is one.
"""

import os
import pathlib
import sys
import tempfile
import threading
import time

import faults
from faults import ROOT, Failed
from servers import Client, Database

MOST_MESSAGES = 5


class Writer(threading.Thread):
    """Makes changes on a host until it is told to end, and keeps how long each took, with its begin."""

    def __init__(self, client, name, pause):
        super().__init__(daemon=True)
        self.client, self.name, self.pause = client, name, pause
        self.made, self.kept, self.took, self.problems = 0, 0, [], []
        self.ends = threading.Event()

    def run(self):
        try:
            while not self.ends.is_set():
                self.made += 1
                made = self.change(f"entities create --name {self.name}-{self.made} --category c1")
                # Without an id if the entity was created and can't be read.
                if not (number := made.get("id")):
                    raise Failed(f"a new entity is not shown: {made}")
                self.change(f"entities/{number} set name {self.name}-{self.made}x")
                if self.made % 3 == 0:
                    self.change(f"entities/{number} delete --yes")
                else:
                    self.kept += 1
        except (Failed, OSError) as problem:
            self.problems.append(f"{self.name}: {problem}")

    def change(self, line):
        time.sleep(self.pause)
        began = time.monotonic()
        try:
            return self.client.make(line)
        finally:
            self.took.append((began, time.monotonic() - began))

    def end(self):
        self.ends.set()
        self.join()

    def longest(self, begin=0, end=float("inf")):
        """The longest time of a change that overlaps with a span, and the number of those changes."""
        took = [took for began, took in self.took if began + took > begin and began < end]
        return max(took, default=0), len(took)


def run(options, folder):
    database = Database(folder / "server")
    clients = []

    def host(name):
        clients.append(Client([options.host, "--data", folder / name, "--config", ROOT / "modules.json",
                               "--database", database.url]))
        return clients[-1]

    try:
        file = folder / "rows.jsonl"
        file.write_text("".join(
            f'{{"name": "row {row}", "category": "c{row % 50}"}}\n' for row in range(options.rows)))
        importer = host("importer")
        importer.make("entities")
        writers = [Writer(host(f"writer{number}"), f"w{number}", options.pause) for number in range(options.writers)]
        for writer in writers:
            writer.start()
        time.sleep(2)
        began = time.monotonic()
        reply = importer.ask(f"entities import '{file}'")
        ended = time.monotonic()
        for writer in writers:
            writer.end()
        return check(database, options, reply, writers, began, ended)
    finally:
        for client in clients:
            client.close()
        database.call("kill")


def check(database, options, reply, writers, began, ended):
    """Checks the import, the times of the changes, and the rows; returns the figures."""
    if not reply["ok"]:
        raise Failed(f"the import fails: {reply['error']}")
    if problems := [problem for writer in writers for problem in writer.problems]:
        raise Failed("; ".join(problems[:MOST_MESSAGES]))
    alone = max(writer.longest(end=began)[0] for writer in writers)
    spans = [writer.longest(began, ended) for writer in writers]
    longest, count = max(took for took, _ in spans), sum(count for _, count in spans)
    if longest > options.limit:
        raise Failed(f"a change beside the import took {longest:.1f} s")
    if count < 10 * len(writers):
        raise Failed(f"only {count} changes were made beside the import, which took {ended - began:.1f} s")
    rows = int(database.sql('SELECT count(*) FROM "Entities".entities')[0][0])
    if rows != (wanted := options.rows + sum(writer.kept for writer in writers)):
        raise Failed(f"there are {rows} entities, not {wanted}")
    return (f"{options.rows:,} rows imported in {ended - began:.1f} s beside {count} changes of {len(writers)} hosts; "
            f"the longest one took {longest * 1000:.0f} ms, before the import {alone * 1000:.0f} ms")


def main():
    parser = faults.parser(__doc__)
    parser.add_argument("--rows", type=int, default=400_000, metavar="N")
    parser.add_argument("--writers", type=int, default=4, metavar="N")
    parser.add_argument("--pause", type=float, default=0, metavar="SECONDS", help="between two changes of a writer")
    parser.add_argument("--limit", type=float, default=1, metavar="SECONDS",
                        help="the longest time of one change (1, which is promised where nothing else runs)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="atrium-imports-") as folder:
        os.chmod(folder, 0o755)
        try:
            print(run(options, pathlib.Path(folder)))
        except Failed as failure:
            print(failure)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
