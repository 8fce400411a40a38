#!/usr/bin/env python3
"""Runs the tests under the thread sanitizer, then under the address sanitizer with leak detection.

    sanitize.py [--only thread|address] [TARGET …]      (all targets unless given)

Checks first that each sanitizer reports planted faults. Builds from a copy of Package.swift, into a folder of
.build-sanitize for each sanitizer. Prints a line for each target and exits 0 if all tests passed without a report;
otherwise prints the reports and exits 1.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "Tests" / "Sanitizer"
FOLDER = ROOT / ".build-sanitize"
PACKAGE = FOLDER / "package"
MUTEX = FOLDER / "mutex.so"
REPORTS = FOLDER / "reports"
PATIENCE = 900
"""The time limit for the tests of a target, in seconds."""

# All but HostTests, which drives a host that was built without a sanitizer.
TARGETS = [
    "AtriumKitTests", "AtriumManifestTests", "AtriumStorageTests", "AtriumNetworkingTests", "AtriumNavigationTests",
    "AtriumRuntimeTests", "AtriumShellTests", "SessionTests", "UserProfileTests", "EntitiesTests",
    "HTTPTransportTests", "PostgreSQLTests", "ScreenTests", "TortureTests"]


@dataclasses.dataclass
class Sanitizer:
    name: str
    options: str
    """The variable of its options."""
    settings: str
    report: str
    """What each of its reports begins with."""
    planted: dict
    """The planted tests, each with the text that its report must contain, or None if there must be no report."""
    left_out: dict
    """The suites that are not run, each with its reason."""
    environment: dict
    """What it needs besides its options."""

    @property
    def build(self):
        return FOLDER / self.name

    @property
    def program(self):
        return self.build / "debug" / "AtriumPackageTests.xctest"


REPEATS = "repeats work on the main actor hundreds of times: no races to find, and minutes under the sanitizer"
SANITIZERS = [
    Sanitizer(
        # Reports must not change the exit status; they are counted from their files.
        "thread", "TSAN_OPTIONS", "exitcode=0 halt_on_error=0", "WARNING: ThreadSanitizer:",
        {"Races/threads": "UnguardedCounts", "Races/tasks": "UnguardedCounts",
         "Races/otherLock": "WronglyGuardedCounts",
         "NoRaces/lock": None, "NoRaces/lockIfFree": None, "NoRaces/actor": None},
        {"AwaitedPropertyTests": REPEATS, "ChangePropertyTests": REPEATS, "ModuleCycleTests": REPEATS,
         "VerificationPropertyTests": REPEATS, "EntityModelInterleavingTests": REPEATS},
        # LD_PRELOAD can't name a file in a folder whose path has a space.
        {"LD_LIBRARY_PATH": str(MUTEX.parent), "LD_PRELOAD": MUTEX.name}),
    Sanitizer(
        "address", "ASAN_OPTIONS", "detect_leaks=1", "Sanitizer: ",
        {"Memory/freed": "heap-use-after-free", "Memory/leaked": "leakBlocks", "Memory/kept": None},
        {"ResourceLimitsTests": "limits a process to less memory than the sanitizer needs"},
        {"LSAN_OPTIONS": f"suppressions='{HERE / 'leaks.txt'}':print_suppressions=0"}),
]


class Run:
    """A run of the tests that match a pattern, with the sanitizer's reports."""

    def __init__(self, sanitizer, pattern, name, has_preload=True):
        self.sanitizer = sanitizer
        name = f"{sanitizer.name}-{name}"
        for former in REPORTS.glob(f"{name}.*"):
            former.unlink()
        left_out = ["--skip", "|".join(sanitizer.left_out)] if sanitizer.left_out else []
        began = time.monotonic()
        try:
            done = subprocess.run(
                [sanitizer.program, "--testing-library", "swift-testing", "--filter", pattern, *left_out], cwd=ROOT,
                timeout=PATIENCE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, errors="replace", env=self.environment(name, has_preload))
            self.output, self.status = done.stdout, done.returncode
        except subprocess.TimeoutExpired as hung:
            self.output = (hung.stdout or b"").decode(errors="replace") + f"\nIt took longer than {PATIENCE} s."
            self.status = -1
        self.seconds = time.monotonic() - began
        self.reports = "\n".join(file.read_text(errors="replace") for file in sorted(REPORTS.glob(f"{name}.*")))
        counted = re.search(r"Test run with (\d+) tests?", self.output)
        self.tests = int(counted[1]) if counted else 0

    def environment(self, name, has_preload):
        options = {self.sanitizer.options: f"{self.sanitizer.settings} log_path='{REPORTS / name}'"}
        environment = os.environ | self.sanitizer.environment | options | {"SWIFT_BACKTRACE": "enable=no"}
        if not has_preload:
            del environment["LD_PRELOAD"]
        return environment

    @property
    def count(self):
        return len(re.findall(rf"^.*{self.sanitizer.report}(?!.*leaked in)", self.reports, re.MULTILINE))

    @property
    def passed(self):
        return self.status == 0 and self.tests > 0


def fail(text):
    print(f"sanitize: {text}", file=sys.stderr)
    sys.exit(1)


def write(file, text):
    """Writes a file only if its text changed, because a newer file is rebuilt."""
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def build(sanitizer):
    PACKAGE.mkdir(parents=True, exist_ok=True)
    REPORTS.mkdir(exist_ok=True)
    for name in ["Sources", "Plugins", "Tests", "Demos", "Examples", "README.md"]:
        if not (PACKAGE / name).is_symlink():
            (PACKAGE / name).symlink_to(ROOT / name)
    names = ", ".join(f'"{name}"' for name in ["PlantedTests", *TARGETS])
    write(PACKAGE / "Package.swift", "\n".join([
        (ROOT / "Package.swift").read_text(), f"let sanitized = [{names}]", (HERE / "Selection.swift").read_text()]))
    run(["clang", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", MUTEX, HERE / "mutex.c", "-ldl"])
    # A cached build plan would miss added files. All modules are linked into one program; each has an entry point.
    # The tools of the build are built with the sanitizer too, and end without freeing.
    run(["swift", "build", "--build-tests", "--disable-xctest", f"--sanitize={sanitizer.name}", "--package-path",
         PACKAGE, "--scratch-path", sanitizer.build, "--disable-build-manifest-caching", "-Xlinker",
         "--allow-multiple-definition"], {"ASAN_OPTIONS": "detect_leaks=0"})


def run(command, environment={}):
    if subprocess.run(command, cwd=ROOT, env=os.environ | environment).returncode:
        fail(f"'{command[0]}' failed.")


def check_planted(sanitizer):
    """Fails unless the sanitizer reports the planted faults and nothing else."""
    for name, culprit in sanitizer.planted.items():
        run = Run(sanitizer, f"PlantedTests/{name}\\(", name.replace("/", "-"))
        if culprit and culprit not in run.reports:
            fail(f"the planted fault '{name}' is not reported, so others may be missed too.\n{run.reports}{run.output}")
        if not culprit and (run.count or not run.passed):
            fail(f"'{name}' is no fault but is reported:\n{run.reports}{run.output}")
    faults = sum(culprit is not None for culprit in sanitizer.planted.values())
    print(f"{sanitizer.name}: {faults} planted faults reported, {len(sanitizer.planted) - faults} correct uses not",
          flush=True)
    if "LD_PRELOAD" in sanitizer.environment and not Run(
            sanitizer, "PlantedTests/NoRaces/lock\\(", "without", has_preload=False).count:
        print("note: this toolchain reports its locks to the sanitizer itself; mutex.c is no longer needed")


def check(sanitizer, targets):
    """Runs the tests of each target; returns whether all passed without a report."""
    good = True
    for target in targets:
        run = Run(sanitizer, f"^{target}\\.", target)
        print(f"{target:26} {run.tests:4} tests {'passed' if run.passed else 'FAILED'} {run.count:4} reports "
              f"{run.seconds:6.0f} s", flush=True)
        if not run.passed:
            print(run.output[-6_000:])
        if run.count:
            print(run.reports[:20_000])
        good = good and run.passed and not run.count
    for suite, reason in sanitizer.left_out.items():
        print(f"left out: {suite}, which {reason}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=[sanitizer.name for sanitizer in SANITIZERS])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    options = parser.parse_args()
    unknown = [name for name in options.targets if name not in TARGETS]
    if unknown:
        fail(f"no such target: '{unknown[0]}'. Targets: {', '.join(TARGETS)}.")
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        fail("the sanitizers need terabytes of address space; run them in a shell without 'ulimit -v'.")
    good = True
    for sanitizer in SANITIZERS:
        if options.only in (None, sanitizer.name):
            build(sanitizer)
            check_planted(sanitizer)
            good = check(sanitizer, options.targets or TARGETS) and good
    if not good:
        fail("tests failed or faults were reported, see above.")


main()
