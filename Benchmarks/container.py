#!/usr/bin/env python3
"""Measures the container's cost for a module, against constructors, a static constant and a dictionary.

Run as a script, `container.py PROGRAM CASE SIDE OTHERS` counts the instructions of one operation.
"""
import statistics
import subprocess
import sys

from tools import Figure, Program, interleaved, numbers

# Short batches, and many: the machine's speed changes within tenths of a second.
LOOP_BATCHES, LOOP_BATCH = 31, 5e6
BATCHES = 9
OTHERS = [10, 1_000, 10_000]
COUNTS = [1_000, 10_000]
FLAT = 1.1

# The case, its label, the side that it is compared with, the goal.
LOOPS = [
    ("leaf", "transient service, class", "plain", 1.35),
    ("leaf-service", "transient service, any P", "plain", 1.35),
    ("shared", "shared service, class", "constant", 1.0),
    ("shared-service", "shared service, any P", "constant", 1.0),
    ("graph", "three deep, classes", "plain", 1.35),
    ("graph-service", "three deep, services any P", "plain", 1.35),
]
SCREENS = [
    ("view-model", "view model in a screen, three deep", "plain", None),
    ("screen", "a screen with it, built and released", "plain", None),
]
NAMES = {"plain": "constructors", "constant": "static constant", "locked": "locked dictionary"}


def measure(build):
    with Program(build.container) as program:
        groups = [loop(program, *case) for case in LOOPS]
        groups += [loop(program, *case, most=200, others=[1_000]) for case in SCREENS]
        groups += [fill(program, count) for count in COUNTS]
        groups += [remove(program, others) for others in COUNTS]
    groups += [first_fill(build, count) for count in COUNTS]
    groups += [memory(build, count) for count in COUNTS]
    return [figure for group in groups for figure in group]


def loop(program, case, what, compared_with, goal, most=10 ** 7, others=OTHERS):
    """Measures one case beside each number of other registrations, and against the locked dictionary."""
    sides = [("container", count) for count in others] + [(compared_with, 0), ("locked", 0)]
    run = lambda side, times: numbers(program, "loop", case, *side, times)
    for side in sides: run(side, 100)
    times = max(10, min(most, int(LOOP_BATCH / max(run(side, 100)[0] / 100 for side in sides))))
    samples = interleaved(sides, LOOP_BATCHES, lambda side: [value / times for value in run(side, times)])

    def figure(what, side, reference, name, goal=None):
        column = lambda side, clock: [sample[clock] for sample in samples[side]]
        return Figure(
            what, name, "ns", column(side, 0), column(reference, 0), goal,
            processor_ours=column(side, 1), processor_reference=column(reference, 1),
            details={"case": case, "timesInBatch": times, "others": side[1]})

    *ours, reference, locked = sides
    figures = [
        figure(f"{what}, beside {side[1]:,}", side, reference, NAMES[compared_with], goal) for side in ours]
    if len(ours) > 1:
        typical = {side: statistics.median(wall for wall, _ in samples[side]) for side in ours}
        slowest, fastest = max(ours, key=typical.get), min(ours, key=typical.get)
        figures.append(figure("(slowest of these)", slowest, fastest, "fastest of these", FLAT))
    return figures + [figure(f"(beside {ours[0][1]:,})", ours[0], locked, NAMES["locked"])]


def fill(program, count):
    """Registers many types and resolves each, in a new container and in a dictionary of the same closures."""
    run = lambda side: numbers(program, "fill", side, count)
    for side in ("container", "dictionary"): run(side)
    samples = interleaved(["container", "dictionary"], BATCHES, run)
    goal = 1.0 if count == 1_000 else None
    return [
        paired(f"register {count:,}, each", "ns", samples, 0, count, goal),
        paired(f"resolve {count:,} first, each", "ns", samples, 1, count, goal),
        paired(f"resolve {count:,} again, each", "ns", samples, 2, count, goal)]


def first_fill(build, count):
    """Does the same in a new process, which includes the metadata of generic types."""
    samples = interleaved(
        ["container", "dictionary"], BATCHES, lambda side: output(build.container, "fill", side, count))
    return [
        paired(f"register {count:,} in a new process", "ns", samples, 0, count),
        paired(f"resolve {count:,} first there", "ns", samples, 1, count)]


def remove(program, others, times=20):
    samples = interleaved(
        ["container", "dictionary"], BATCHES, lambda side: numbers(program, "remove", side, others, times))
    return [paired(f"remove a module of 100 beside {others:,}", "µs", samples, 0, times * 1e3)]


def memory(build, count):
    """Measures allocated bytes, once, since they are the same in each run."""
    ours, reference = (output(build.container, "memory", side, count) for side in ("container", "dictionary"))
    each = lambda what, index: Figure(
        what, "bare dictionary", "bytes", [ours[index] / count], [reference[index] / count])
    return [each(f"memory of {count:,} registrations, each", 0), each("(when each was resolved)", 1)]


def paired(what, unit, samples, index, scale, goal=None):
    """A figure from samples that hold several results, each with wall-clock and processor time."""
    column = lambda side, clock: [sample[2 * index + clock] / scale for sample in samples[side]]
    return Figure(
        what, "bare dictionary", unit, column("container", 0), column("dictionary", 0), goal,
        processor_ours=column("container", 1), processor_reference=column("dictionary", 1))


def output(*command):
    words = list(map(str, command))
    return list(map(int, subprocess.run(words, check=True, capture_output=True).stdout.split()))


def instructions(program, case, side, others, times=1_000):
    """Counts instructions of one operation: those of a long run minus those of a short one (callgrind)."""
    def total(times):
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "loop", case, side,
             others, str(times)], check=True, capture_output=True, text=True)
        return int(run.stderr.split("Collected : ")[1].split()[0])
    return (total(100 + times) - total(100)) / times


if __name__ == "__main__":
    print(f"{instructions(*sys.argv[1:5]):,.0f} instructions")
