#!/usr/bin/env python3
"""Measures the layout of tables as text, and how it grows with their rows."""
from tools import Figure, Program, interleaved, numbers

BATCHES, ROWS = 15, 1_000
SIZES = [100, 1_000, 10_000]
KINDS = [("fits", "fits"), ("wrapped", "cells wrapped"), ("cjk", "cells wrapped, in wide characters")]
# Ten times the rows may take ten times as long.
FLAT = 1.5


def measure(build):
    with Program(build.render) as program:
        run = lambda kind, rows=ROWS: [value / 1e6 for value in numbers(program, "render", kind, rows, 1)]
        kinds = [kind for kind, _ in KINDS] + ["padded"]
        for kind in kinds: run(kind)
        samples = interleaved(kinds, BATCHES, run)
        column = lambda kind, clock: [sample[clock] for sample in samples[kind]]
        figures = [
            Figure(
                f"a table of {ROWS:,} rows, {name}", "its cells only padded", "ms", column(kind, 0),
                column("padded", 0), None, column(kind, 1), column("padded", 1), details={"case": kind})
            for kind, name in KINDS]
        return figures + [growth(run, *pair) for pair in zip(SIZES, SIZES[1:])]


def growth(run, fewer, more):
    """Compares the cost of a row in a large table with that in a smaller one."""
    samples = interleaved([fewer, more], BATCHES, lambda rows: [value / rows * 1e6 for value in run("fits", rows)])
    column = lambda rows, clock: [sample[clock] for sample in samples[rows]]
    return Figure(
        f"a row in a table of {more:,}", f"in one of {fewer:,}", "ns", column(more, 0), column(fewer, 0), FLAT,
        column(more, 1), column(fewer, 1), details={"rows": more})
