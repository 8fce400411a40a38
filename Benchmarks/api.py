"""API calls through the manager, against the transport alone.

The server is Demos/server on loopback, in a process of its own; connections are reused.
"""
import contextlib
import json
import os
import subprocess
import sys
import urllib.request

from programs import ROOT
from tools import Figure, Program, compared, numbers

BATCHES, CALL_BATCH = 61, 0.05e9
SIDES = ["manager", "transport"]
# The goal is set in DESIGN.md, section 13.
ALLOWED = 1.1
CASES = [
    ("get", "GET one entity, not stored", ALLOWED),
    ("page", "GET a page of 20 rows, not stored", ALLOWED),
    ("confirmed", "GET a page of 20 rows, confirmed by its ETag", None),
    ("create", "POST an entity, with a key", None),
    ("batch", "64 entities, 8 at a time", None)]
INSTANT = [("get", "one entity"), ("page", "a page of 20 rows")]
FRESH_CALLS = 1_000
# More calls than entities would be answered with 404.
ROWS, EXPIRED_CALLS, EXPIRED_RUNS = 1_000, 1_000, 3


def measure(build):
    with server() as url, Program(build.api, url) as program:
        groups = [calls(program, *case) for case in CASES]
        groups.append(fresh(program))
        groups += [instant(program, *case) for case in INSTANT]
        groups += [expired(program, url, *kind) for kind in [
            ("refused", "only the server knows"), ("known", "the manager knows")]]
    return [figure for group in groups for figure in group]


@contextlib.contextmanager
def server():
    """Runs Demos/server with entities and people, in memory; tokens outlast the run."""
    process = subprocess.Popen(
        [sys.executable, os.path.join(ROOT, "Demos", "server", "server.py"), "--port", "0", "--faults", "--seed",
         "--rows", str(ROWS), "--access-life", "86400", "--quiet"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait()


def calls(program, case, what, goal):
    """Compares sequential calls: the same request and the same decoding on both sides."""
    run = lambda side, times: numbers(program, "call", case, side, times)
    first = max(run(side, 5)[0] / 5 for side in SIDES)
    times = max(2, int(CALL_BATCH / first))
    return [compared(
        what, "transport alone", goal, lambda side: run(side, times), times, SIDES, BATCHES, "µs")]


def fresh(program):
    """Compares a fresh cached response with a request to the server."""
    times = {"manager": FRESH_CALLS, "transport": 20}
    run = lambda side: [
        value / times[side] for value in numbers(program, "call", "fresh", side, times[side])]
    return [compared("GET one entity, stored and fresh", "transport alone", None, run, 1, SIDES, BATCHES, "µs")]


def instant(program, case, what):
    """Measures the manager itself, over a transport that responds at once."""
    run = lambda side, times: numbers(program, "instant", case, side, times)
    times = max(2, int(CALL_BATCH / max(run(side, 100)[0] / 100 for side in SIDES)))
    return [compared(
        f"({what}, over a transport that answers at once)", "that and decoding", None,
        lambda side: run(side, times), times, SIDES, BATCHES, "µs")]


def expired(program, url, kind, what):
    """Counts token refreshes of concurrent calls, as the server sees them; every call must succeed."""
    refreshes, walls = [], []
    for _ in range(EXPIRED_RUNS):
        before = refreshes_served(url)
        wall, _, answered, counted = numbers(program, "expired", kind, EXPIRED_CALLS)
        refreshes.append(refreshes_served(url) - before)
        walls.append(wall / 1e6)
        if answered != EXPIRED_CALLS: raise RuntimeError(f"{EXPIRED_CALLS - answered} calls failed.")
        if counted != refreshes[-1]: raise RuntimeError("The manager and the server count differently.")
    return [Figure(
        f"refreshes for {EXPIRED_CALLS:,} calls with an expired token, {what}", "allowed", "", refreshes,
        [1] * EXPIRED_RUNS, 1, details={"milliseconds": walls})]


def refreshes_served(url):
    with urllib.request.urlopen(f"{url}/_stats") as answer:
        return json.load(answer)["tokens"].get("refresh", 0)
