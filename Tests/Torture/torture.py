#!/usr/bin/env python3
"""Runs the torture tests on the release build, which has to be there, and records the figures.

    Tests/Torture/torture.py [--minutes N] [--seed S] [--only PART[,PART]] [--targets TARGET[,TARGET]] [--record]

Without --minutes each part runs to its full count; with it, the parts share the time and say how far they came. A
part's line names its seed; the same seed makes the same choices, up to when kills and answers happen. Inputs that
break a rule are kept in Tests/Torture/Fuzz/Corpus, which `make test` reads. --record writes Benchmarks/TORTURE.md.
Exits 1 if anything was found.
"""

import argparse
import dataclasses
import datetime
import os
import pathlib
import random
import re
import subprocess
import sys
import time

import fuzz
from fuzz import ROOT

HERE = pathlib.Path(__file__).resolve().parent
REPORT = ROOT / "Benchmarks" / "TORTURE.md"
HEADING = """# Torture

The latest recorded run of each part of `make torture` ([what they do](../Tests/Torture/README.md)).

| part | what was done | time | found | seed | recorded, commit |
|---|---|---|---|---|---|
"""


@dataclasses.dataclass
class Row:
    """What a part did."""
    part: str
    seed: str
    figures: str
    seconds: float
    found: list

    def line(self):
        return f"{self.part:20} {self.seconds:6.0f} s  {self.figures}"


def script(name, arguments, seconds):
    """Runs a script of this folder; its last line has the figures, the lines before it what it found."""
    command = [sys.executable, HERE / name, *map(str, arguments)]
    try:
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds)
        lines, failed = run.stdout.strip().splitlines() or ["no output"], run.returncode != 0
    except subprocess.TimeoutExpired:
        lines, failed = [f"did not end within {seconds:.0f} s"], True
    return lines[-1], lines if failed else []


class Torture:
    def __init__(self, seed, seconds):
        self.seed, self.seconds = seed, seconds
        self.patience = 7_200 if seconds is None else seconds + 600
        self.limits = ["--seed", seed, *(["--seconds", seconds] if seconds else [])]

    def fuzz(self, targets):
        fuzz.build()
        limit = None if self.seconds is None else self.seconds / len(targets)
        for target in targets:
            yield f"fuzz {target}", self.seed, lambda target=target: fuzz.run(target, self.seed, limit)

    def kills(self):
        yield "kill -9", self.seed, lambda: script("kills.py", ["--kills", 1_000, *self.limits], self.patience)
        yield "snapshots", self.seed, lambda: script("resets.py", ["--kills", 500, *self.limits], self.patience)
        yield ("snapshots, PostgreSQL", self.seed,
               lambda: script("resets.py", ["--postgres", "--kills", 500, *self.limits], self.patience))

    def hosts(self):
        for hosts in (2, 4, 8):
            yield (f"{hosts} hosts", self.seed, lambda hosts=hosts: script(
                "hosts.py", ["--hosts", hosts, "--kills", 200, *self.limits], self.patience))

    def sharing(self):
        yield "lost feed", "", lambda: script("feed.py", [], self.patience)
        yield "import beside changes", "", lambda: script("imports.py", [], self.patience)
        yield "rollout without a host", "", lambda: script("rollouts.py", [], self.patience)

    def restores(self):
        yield "restore", "", lambda: script("restores.py", [], self.patience)

    def upgrades(self):
        yield "upgrade", "", lambda: script("upgrades.py", [], self.patience)
        yield "upgrade, PostgreSQL", "", lambda: script("upgrades.py", ["--postgres"], self.patience)

    def clock(self):
        yield "clock", self.seed, lambda: script("clock.py", ["--jumps", 2_000, *self.limits], self.patience)

    def disk(self):
        yield "disk", "", lambda: script("disk.py", [], self.patience)

    def exhaustion(self):
        yield "exhaustion", "", lambda: script("exhaustion.py", [], self.patience)
        yield "files that wait", "", lambda: script("files.py", [], self.patience)

    def state(self):
        yield "state files", "", lambda: script("state_files.py", [], self.patience)
        yield "errors of the system", "", lambda: script("errnos.py", [], self.patience)
        yield "limits", "", lambda: script("limits.py", [], self.patience)

    def rotation(self):
        yield ("rotation", self.seed,
               lambda: script("rotation.py", ["--rounds", 50, *self.limits], self.patience))

    def transport(self):
        environment = {"ATRIUM_MUTATED_ANSWERS": "100000", "ATRIUM_SEED": str(self.seed)}
        yield "transport", self.seed, lambda: swift("MutatedAnswerTests", environment, self.patience)

    def numbers(self):
        yield ("numbers", "", lambda: swift(
            "AnswerNumberTests|ServedNumberTests", {"ATRIUM_NUMBERS": "1000000"}, self.patience))
        yield "bounds", "", lambda: script("bounds.py", [], self.patience)

    def permissions(self):
        place = ["--host", ROOT / ".build/release/atrium", "--modules", ROOT / ".build/release"]
        yield "permissions", "", lambda: script("../MCP/permissions.py", place, self.patience)

    def updates(self):
        yield "updates under load", "", lambda: swift("SoakTests", {"ATRIUM_SOAK": "1"}, self.patience)

    def modules(self):
        yield "bad modules", "", lambda: swift("BadModuleTests|BadLibraryFileTests|LaterFaultTests", {}, self.patience)


PARTS = ["fuzz", "state", "disk", "exhaustion", "kills", "hosts", "sharing", "restores", "upgrades", "clock", "rotation", "transport",
         "numbers", "permissions", "modules", "updates"]


def swift(suites, environment, seconds):
    command = ["swift", "test", "--disable-xctest", "--scratch-path", ".build/tests", "--filter", suites]
    try:
        run = subprocess.run(command, cwd=ROOT, env=os.environ | environment, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"did not end within {seconds:.0f} s", ["it took too long"]
    failed = [line for line in run.stdout.splitlines() if line.startswith(("✘", "↳", "error:"))]
    told = re.findall(r"^(?:Soak|Answers): (.*)$", run.stdout, re.MULTILINE)
    counted = re.search(r"Test run with ([1-9]\d*) tests? .*", run.stdout)
    figures = "; ".join(told or [counted[0] if counted else "no test ran"])
    # Lines with an arrow are also in the head of a good run.
    return figures, [] if run.returncode == 0 and counted else failed or [run.stdout[-3_000:]]


def perform(part, seed, work):
    began = time.monotonic()
    figures, found = work()
    row = Row(part, str(seed), figures, time.monotonic() - began, found)
    print(row.line(), flush=True)
    for line in found:
        print(f"    {line}", flush=True)
    return row


def record(rows):
    """Replaces the rows of these parts in the report; the others stay."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    when = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M}, {commit.stdout.strip()}"
    text = REPORT.read_text() if REPORT.exists() else ""
    lines = {line.split(" | ")[0].removeprefix("| "): line for line in text.splitlines() if line.startswith("| ")}
    lines.pop("part", None)
    for row in rows:
        figures = row.figures.removeprefix(f"seed {row.seed}: ")
        found = "; ".join(row.found)[:200].replace("|", "/") or "nothing"
        lines[row.part] = f"| {row.part} | {figures} | {row.seconds:,.0f} s | {found} | {row.seed} | {when} |"
    REPORT.write_text(HEADING + "".join(f"{lines[part]}\n" for part in sorted(lines)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, help="the time for all parts together, without builds")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 31))
    parser.add_argument("--only", default=",".join(PARTS), help=f"parts: {', '.join(PARTS)}")
    parser.add_argument("--targets", default=",".join(fuzz.TARGETS), help=f"of the fuzzer: {', '.join(fuzz.TARGETS)}")
    parser.add_argument("--record", action="store_true", help=f"write {REPORT.relative_to(ROOT)}")
    options = parser.parse_args()
    names = options.only.split(",")
    if unknown := [name for name in names if name not in PARTS]:
        parser.error(f"no such part: '{unknown[0]}'. Parts: {', '.join(PARTS)}.")
    targets = options.targets.split(",")
    if unknown := [target for target in targets if target not in fuzz.TARGETS]:
        parser.error(f"no such target: '{unknown[0]}'. Targets: {', '.join(fuzz.TARGETS)}.")
    print(f"seed {options.seed}", flush=True)
    torture = Torture(options.seed, options.minutes and options.minutes * 60 / len(names))
    steps = {name: getattr(torture, name) for name in names} | {"fuzz": lambda: torture.fuzz(targets)}
    rows = []
    for name in names:
        for step in steps[name]():
            rows.append(perform(*step))
            # One by one: the next may take an hour, and be interrupted.
            if options.record:
                record(rows[-1:])
    found = sum(bool(row.found) for row in rows)
    print(f"{len(rows)} parts, {found} found something")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
