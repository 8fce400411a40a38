"""Measures how long a reset to a snapshot takes and what waits meanwhile, with the data in files and in PostgreSQL."""
import csv
import os
import shutil
import statistics
import sys
import threading
import time

from entities import fill, rows
from postgres import Server
from tools import Figure, Host, Program

SIZES = [1, 1_000, 1_000_000]
BATCHES = 5
PATIENCE = "statementLimit=600 lockLimit=600"
READ = "entities list --size 1"
CHANGE = "entities create --name Meanwhile"


class Client(Host):
    """A front end of a running host."""
    def __init__(self, build, data):
        Program.__init__(self, build.host, "attach", "--data", data, "--json")


def measure(build, folder, sizes):
    figures = []
    for count in sizes:
        figures += in_files(build, os.path.join(folder, f"snapshots-{count}"), count)
        figures += on_server(build, os.path.join(folder, f"snapshots-server-{count}"), count)
    return figures


def in_files(build, data, count):
    """A reset beside a copy of the database that reaches the disk, and the reads of another front end."""
    build.script(data, "entities")
    path = os.path.join(data, "Entities.sqlite")
    fill(path, count)
    with Host(build, data, "--json") as host:
        host.run("snapshot save start")
        time.sleep(0.5)
        with Client(build, data) as client:
            client.run(READ)
            found = resets(host, {"read": (client, READ)}, lambda: copy(path))
    shutil.rmtree(data)
    return figures_of(f"{count:,} entities in files", "copy of the database", found, count)


def on_server(build, data, count):
    """A reset beside a copy of the table by the server, and the reads and changes of another host."""
    with Server() as server:
        options = ["--json", "--yes", "--database", server.url]
        path = f"{data}.csv"
        with open(path, "w", newline="") as text:
            writer = csv.writer(text)
            writer.writerow(["name", "category", "notes"])
            for row in rows(count): writer.writerow([word or "" for word in row[:3]])
        with Host(build, data, *options) as host, Host(build, f"{data}-reader", *options) as reader, \
                Host(build, f"{data}-changer", *options) as changer:
            for each in (host, reader, changer): each.run(f"module configure PostgreSQL {PATIENCE}")
            host.run(f"entities import {path}")
            server.query("VACUUM ANALYZE")
            host.run("snapshot save start")
            for other in (reader, changer): other.run(READ)
            found = resets(
                host, {"read": (reader, READ), "change": (changer, CHANGE)}, lambda: copy_table(server))
    return figures_of(f"{count:,} entities in PostgreSQL", "copy of the table", found, count)


def resets(host, others, reference):
    """The milliseconds of resets, of the reference, and of the longest wait of others, beside them and alone."""
    found = {"reset": [], "reference": []} | {f"{name}{kind}": [] for name in others for kind in ("", " alone")}
    for _ in range(BATCHES):
        host.run(CHANGE)
        took = []
        waits = beside(others, lambda: took.append(timed(lambda: host.run("snapshot reset start"))))
        alone = beside(others, lambda: time.sleep(took[0] / 1e3))
        found["reset"].append(took[0])
        found["reference"].append(timed(reference))
        for name in others:
            found[name].append(waits[name])
            found[f"{name} alone"].append(alone[name])
    return found


def beside(others, work):
    """Does some work while others repeat a command; returns the longest time of each, in milliseconds."""
    is_done, longest = threading.Event(), {}

    def repeat(name, host, command):
        times = []
        while not is_done.is_set(): times.append(timed(lambda: host.run(command)))
        longest[name] = max(times)

    threads = [threading.Thread(target=repeat, args=(name, *other)) for name, other in others.items()]
    for thread in threads: thread.start()
    time.sleep(0.05)
    work()
    is_done.set()
    for thread in threads: thread.join()
    return longest


def timed(work):
    start = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - start) / 1e6


def copy(path):
    shutil.copyfile(path, f"{path}-copy")
    with open(f"{path}-copy", "rb+") as file: os.fsync(file.fileno())
    os.remove(f"{path}-copy")


def copy_table(server):
    server.query('CREATE TABLE public.copied AS TABLE "Entities".entities; DROP TABLE public.copied')


def figures_of(what, reference, found, count):
    figure = lambda title, ours, other, name: Figure(
        title, name, "ms", found[ours], found[other], details={"case": ours, "entities": count})
    figures = [figure(f"snapshot reset, {what}, one changed", "reset", "reference", reference)]
    for name in ("read", "change"):
        if name in found:
            figures.append(figure(f"longest {name} meanwhile, {what}", name, f"{name} alone", f"longest {name} alone"))
    print(f"{what}: reset in {statistics.median(found['reset']):,.0f} ms", file=sys.stderr)
    return figures
