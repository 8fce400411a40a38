#!/usr/bin/env python3
"""Compares the host with the one of another commit, run by run, on one machine.

Usage: compare.py BASE [--only PART] [--pairs NUMBER]

Builds both, then runs one beside the other and the other way round, pair by pair. A figure is the median of the pairs'
ratios, new to base, with the quartiles; it is of processor time, or of the memory that a process needed most.
Instructions are counted once (see instructions.py).
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile

import instructions

ROOT = instructions.ROOT
PRODUCTS = ["atrium", "Session", "UserProfile", "Entities"]
# What one run of each part does.
PARTS = {
    "start": lambda site: "exit\n",
    "shell": lambda site: "where\n" * 20_000,
    "navigation": lambda site: "open entities/1\nback\n" * 2_000,
    "entities": lambda site: "entities list\n" * 2_000,
    "update": lambda site: instructions.update(site, 5),
    "memory": lambda site: "where\n",
}


# Runs a command, and says last how many KiB it needed most.
MEASURED = """import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(status)"""


def built(base):
    """The release build of a commit, in a work tree in .build-base."""
    commit = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", base + "^{commit}"], cwd=ROOT, capture_output=True, text=True)
    if commit.returncode: sys.exit(f"compare.py: There is no commit '{base}'.")
    tree = os.path.join(ROOT, ".build-base", commit.stdout.strip())
    if not os.path.isdir(tree):
        subprocess.run(["git", "worktree", "add", "--detach", tree, commit.stdout.strip()], cwd=ROOT, check=True)
    # Its system libraries may be others than ours.
    subprocess.run(["make", "--no-print-directory", "setup"], cwd=tree, check=True)
    build(tree)
    return os.path.join(tree, ".build", "release")


def build(tree):
    for product in PRODUCTS:
        subprocess.run(["swift", "build", "-c", "release", "--product", product], cwd=tree, check=True)


def cost(site, script, part):
    """What one run needs: processor time in seconds, or memory in KiB."""
    if part == "memory":
        # What is started is measured by its parent, so the host has one of its own.
        measured = [sys.executable, "-c", MEASURED]
        return int(site.run(measured, script).stderr.splitlines()[-1])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    site.run([], script)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(base, new, part, pairs):
    ratios, script = [], PARTS[part]
    for pair in range(pairs):
        order = [new, base] if pair % 2 else [base, new]
        costs = {site.executable: cost(site, script(site), part) for site in order}
        ratios.append(costs[new.executable] / costs[base.executable])
    low, middle, high = statistics.quantiles(ratios, n=4)
    return middle, low, high


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", help="a commit")
    parser.add_argument("--only", choices=PARTS, action="append", help="compare this part; may be repeated")
    parser.add_argument("--pairs", type=int, default=11, help="how often both run (11)")
    options = parser.parse_args()
    base = built(options.base)
    build(ROOT)
    new = os.path.join(ROOT, ".build", "release")
    with tempfile.TemporaryDirectory(prefix="atrium-base-") as first, \
            tempfile.TemporaryDirectory(prefix="atrium-new-") as second:
        sites = instructions.Site(os.path.realpath(base), first), instructions.Site(os.path.realpath(new), second)
        for part in options.only or PARTS:
            try: middle, low, high = compare(*sites, part, options.pairs)
            except instructions.Failed as problem:
                print(f"{part:20} can't be compared. {problem}", flush=True)
                continue
            what = "memory" if part == "memory" else "processor time"
            print(f"{part:20} {what} {middle:.3f} of the base ({low:.3f} to {high:.3f})", flush=True)
    counted = [instructions.measure(os.path.realpath(folder)) for folder in (base, new)]
    for name, count in counted[0].items():
        if name in counted[1]: print(f"{name:20} instructions {counted[1][name] / count:.3f} of the base")


if __name__ == "__main__": main()
