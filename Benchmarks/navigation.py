#!/usr/bin/env python3
"""Measures navigation, against building the same screens alone, and how it grows.

Run as a script, `navigation.py PROGRAM CASE DEPTH` counts the instructions of one push and pop.
"""
import subprocess
import sys

from tools import Figure, Program, interleaved, numbers

BATCHES, TIMES = 31, 2_000
DEPTHS = [1, 100, 1_000]
COUNTS = [10, 100, 1_000]
PATTERNS = [10, 1_000, 10_000]
# The limit of a push and a pop together, without building the view model and its screen: DESIGN.md, section
# 13.
ALLOWED = 5_000
FLAT = 1.5

CASES = [("plain", "without a guard"), ("guarded", "a guard passed"), ("saving", "keeping its state")]


def measure(build):
    with Program(build.navigation) as program:
        groups = [moving(program, depth) for depth in DEPTHS]
        groups.append(growth(program))
        groups += [stack(program, "restore", "read and show", "shown", "decoded", count) for count in COUNTS]
        groups += [stack(program, "archive", "keep", "live", "encoded", count) for count in COUNTS]
        groups.append(links(program))
    return [figure for group in groups for figure in group]


def moving(program, depth):
    """Measures push and pop minus building the screen alone, against the limit."""
    sides = [case for case, _ in CASES] + ["alone", "tasks"]
    run = lambda side: [value / TIMES for value in numbers(program, "move", side, depth, TIMES)]
    for side in sides: run(side)
    samples = interleaved(sides, BATCHES, run)
    column = lambda side, clock: [sample[clock] / 1e3 for sample in samples[side]]
    figures = []
    for case, name in CASES:
        details = {"case": case, "depth": depth}
        figures.append(Figure(
            f"push and pop at depth {depth:,}, {name}", "the screen alone", "µs", column(case, 0),
            column("alone", 0), None, column(case, 1), column("alone", 1), details=details))
        more = lambda clock: [
            ours - alone for ours, alone in zip(column(case, clock), column("alone", clock))]
        allowed = [ALLOWED / 1e3] * BATCHES
        figures.append(Figure(
            "(more than the screen alone)", "allowed", "µs", more(0), allowed, 1 if case != "saving" else None,
            more(1), allowed, details=details))
    figures.append(Figure(
        f"(push and pop, {CASES[1][1]})", "two tasks awaited", "µs", column("guarded", 0), column("tasks", 0),
        None, column("guarded", 1), column("tasks", 1)))
    return figures


def growth(program):
    """Measures whether a deep stack slows navigation on its top."""
    sides = [DEPTHS[0], DEPTHS[-1]]
    samples = interleaved(
        sides, BATCHES, lambda depth: [v / TIMES / 1e3 for v in numbers(program, "move", "guarded", depth, TIMES)])
    column = lambda depth, clock: [sample[clock] for sample in samples[depth]]
    return [Figure(
        f"push and pop at depth {sides[1]:,}", f"at depth {sides[0]}", "µs", column(sides[1], 0),
        column(sides[0], 0), FLAT, column(sides[1], 1), column(sides[0], 1))]


def stack(program, word, what, ours, reference, count):
    samples = interleaved([ours, reference], BATCHES, lambda side: numbers(program, word, count, side))
    column = lambda side, clock: [sample[clock] / 1e3 for sample in samples[side]]
    return [Figure(
        f"{what} a stack of {count:,}", f"{reference} only", "µs", column(ours, 0), column(reference, 0), None,
        column(ours, 1), column(reference, 1), details={"count": count})]


def links(program):
    """Measures parsing a link and finding its screen, among many patterns."""
    sides = [("find", patterns) for patterns in PATTERNS] + [("parse", PATTERNS[0])]
    for side in sides: numbers(program, *side, TIMES)
    samples = interleaved(
        sides, BATCHES, lambda side: [value / TIMES / 1e3 for value in numbers(program, *side, TIMES)])
    column = lambda side, clock: [sample[clock] for sample in samples[side]]
    figures = [
        Figure(
            f"a link's screen beside {patterns:,} patterns", "reading the link", "µs", column(("find", patterns), 0),
            column(sides[-1], 0), None, column(("find", patterns), 1), column(sides[-1], 1))
        for patterns in PATTERNS]
    return figures + [Figure(
        f"(beside {PATTERNS[-1]:,})", f"beside {PATTERNS[0]}", "µs", column(sides[-2], 0), column(sides[0], 0), FLAT,
        column(sides[-2], 1), column(sides[0], 1))]


def instructions(program, case, depth, times=500):
    """Counts instructions of a push and pop: those of a long run minus those of a short one (callgrind)."""
    def total(times):
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "move", case,
             depth, str(times)], check=True, capture_output=True, text=True)
        return int(run.stderr.split("Collected : ")[1].split()[0])
    return (total(100 + times) - total(100)) / times


if __name__ == "__main__":
    print(f"{instructions(*sys.argv[1:4]):,.0f} instructions")
