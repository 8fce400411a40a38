#!/usr/bin/env python3
"""Builds the fuzzer, and runs its targets.

    Tests/Torture/fuzz.py [TARGET …] [--seconds N] [--seed S]

Builds from a copy of Package.swift into .build-torture, with the address sanitizer. What a target learned stays in
.build-torture/corpus; an input that breaks a rule goes to Tests/Torture/Fuzz/Corpus, by the name `found-…`.
"""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "Tests" / "Torture" / "Fuzz"
FOLDER = ROOT / ".build-torture"
PACKAGE = FOLDER / "package"
PROGRAM = FOLDER / "build" / "debug" / "fuzz"
INPUTS = 1_000_000
INPUTS_OF_COMMANDS = 20_000
"""Each starts a host and performs whole commands, which takes some ms."""
TARGETS = sorted(folder.name for folder in (HERE / "Corpus").iterdir())
COVERAGE = "-sanitize-coverage=edge,trace-cmp,indirect-calls,inline-8bit-counters,pc-table"


def fail(text):
    print(f"fuzz: {text}", file=sys.stderr)
    sys.exit(1)


def library():
    """libFuzzer without its main."""
    info = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True).stdout
    resources = pathlib.Path(json.loads(info)["paths"]["runtimeResourcePath"])
    found = sorted(resources.glob(f"clang/lib/linux/libclang_rt.fuzzer_no_main-{os.uname().machine}.a"))
    return found[0] if found else fail(f"the toolchain has no libFuzzer in {resources}.")


def build():
    PACKAGE.mkdir(parents=True, exist_ok=True)
    for name in ["Sources", "Plugins", "Tests", "Demos"]:
        if not (PACKAGE / name).is_symlink():
            (PACKAGE / name).symlink_to(ROOT / name)
    text = (ROOT / "Package.swift").read_text() + (HERE / "Selection.swift").read_text()
    file = PACKAGE / "Package.swift"
    # A newer file is planned and built again.
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    # The tools of the build are built with the sanitizer too, and end without freeing.
    environment = os.environ | {"ATRIUM_FUZZER_LIBRARY": str(library()), "ASAN_OPTIONS": "detect_leaks=0"}
    run = subprocess.run(
        ["swift", "build", "--product", "fuzz", "--package-path", PACKAGE, "--scratch-path", FOLDER / "build",
         "--sanitize=address", "--disable-build-manifest-caching", "-Xswiftc", COVERAGE, "-Xswiftc", "-O"],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        fail("the build failed:\n" + "\n".join(
            line for line in run.stdout.splitlines() if "Cannot export local symbol" not in line)[-4_000:])


def run(target, seed, seconds=None):
    """Returns the figures of a target's run, and what broke a rule."""
    learned, kept, found = FOLDER / "corpus" / target, HERE / "Corpus" / target, FOLDER / "found"
    for folder in (learned, found):
        folder.mkdir(parents=True, exist_ok=True)
    count = INPUTS_OF_COMMANDS if target == "commands" else INPUTS
    limits = [f"-runs={count}"] + ([f"-max_total_time={max(1, int(seconds))}"] if seconds else [])
    environment = os.environ | {
        "ATRIUM_FUZZ": target, "SWIFT_BACKTRACE": "enable=no",
        # Leaks are for `make sanitize`; stacks of allocations and a long quarantine take half of the time.
        "ASAN_OPTIONS": "detect_leaks=0:malloc_context_size=0:quarantine_size_mb=8"}
    process = subprocess.run(
        [PROGRAM, f"-seed={seed}", *limits, "-timeout=20", "-rss_limit_mb=3000", "-print_final_stats=1",
         "-verbosity=1", f"-artifact_prefix={found}/{target}-", learned, kept],
        cwd=FOLDER, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    log = process.stderr.decode(errors="replace")
    (FOLDER / f"{target}.log").write_text(log)
    inputs = re.search(r"stat::number_of_executed_units: (\d+)", log)
    coverage = re.findall(r"cov: (\d+)", log)
    figures = f"{int(inputs[1]) if inputs else 0:,} inputs, {coverage[-1] if coverage else 0} edges"
    if process.returncode == 0:
        return figures, []
    return figures, [*broken(log), *keep(log, target)] or [f"exit status {process.returncode}", log[-2_000:]]


def broken(log):
    """What broke, and where in the sources."""
    lines = re.findall(r"^(?:broken rule: .*|.*Fatal error: .*|SUMMARY: .*)$", log, re.MULTILINE)
    frames = re.findall(r"^ *#\d+ 0x\w+ in .*/((?:Sources|Plugins)/\S+)", log, re.MULTILINE)
    return lines[:3] + [f"at {frame}" for frame in frames[:4]]


def keep(log, target):
    """Copies the input that broke a rule to the kept corpus."""
    kept = []
    for path in map(pathlib.Path, re.findall(r"Test unit written to (.+)", log)):
        name = HERE / "Corpus" / target / ("found-" + path.name.rsplit("-", 1)[-1][:12])
        name.write_bytes(path.read_bytes())
        kept.append(f"input: {name.relative_to(ROOT)}")
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("targets", nargs="*", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 1 << 31))
    options = parser.parse_args()
    if unknown := [name for name in options.targets if name not in TARGETS]:
        fail(f"no such target: '{unknown[0]}'. Targets: {', '.join(TARGETS)}.")
    build()
    good = True
    for target in options.targets or TARGETS:
        figures, found = run(target, options.seed, options.seconds)
        print("\n    ".join([f"{target:10} seed {options.seed}: {figures}", *found]), flush=True)
        good = good and not found
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
