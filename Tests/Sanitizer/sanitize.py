#!/usr/bin/env python3
"""Runs the tests of the data layers under the thread sanitizer, after checking that it reports planted races.

    sanitize.py [TARGET ...]      (all of TARGETS unless given)

Builds these targets only, from a copy of Package.swift, into .build-sanitize. Prints a line for each target and
exits 0 if all tests passed without a report; otherwise prints the reports and exits 1.
"""
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
PROGRAM = FOLDER / "build" / "debug" / "AtriumPackageTests.xctest"
MUTEX = FOLDER / "mutex.so"
REPORTS = FOLDER / "reports"

TARGETS = [
    "AtriumKitTests", "AtriumStorageTests", "AtriumNetworkingTests", "SessionTests", "UserProfileTests",
    "EntitiesTests", "URLSessionTransportTests"]
# The planted tests, each with the type that the report must name, or None if there must be no report.
PLANTED = {
    "Races/threads": "UnguardedCounts", "Races/tasks": "UnguardedCounts",
    "Races/otherLock": "WronglyGuardedCounts",
    "NoRaces/lock": None, "NoRaces/lockIfFree": None, "NoRaces/actor": None}
# These repeat work on the main actor hundreds of times: no races to find, and minutes under the sanitizer.
LEFT_OUT = [
    "AwaitedPropertyTests", "ChangePropertyTests", "ModuleCycleTests", "VerificationPropertyTests",
    "EntityModelInterleavingTests"]
PATIENCE = 400
"""The time limit for the tests of a target, in seconds."""


class Run:
    """A run of the tests that match a pattern, with the sanitizer's reports."""

    def __init__(self, pattern, name, preload=True):
        for former in REPORTS.glob(f"{name}.*"):
            former.unlink()
        began = time.monotonic()
        try:
            done = subprocess.run(
                [PROGRAM, "--testing-library", "swift-testing", "--filter", pattern, "--skip",
                 "|".join(LEFT_OUT)], cwd=ROOT, timeout=PATIENCE,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                errors="replace", env=self.environment(name, preload))
            self.output, self.status = done.stdout, done.returncode
        except subprocess.TimeoutExpired as hung:
            self.output = (hung.stdout or b"").decode(errors="replace") + f"\nIt took longer than {PATIENCE} s."
            self.status = -1
        self.seconds = time.monotonic() - began
        self.reports = "\n".join(file.read_text(errors="replace") for file in sorted(REPORTS.glob(f"{name}.*")))
        counted = re.search(r"Test run with (\d+) tests?", self.output)
        self.tests = int(counted[1]) if counted else 0

    @staticmethod
    def environment(name, preload):
        # Reports must not change the exit status; they are counted from their files.
        options = f"exitcode=0 halt_on_error=0 log_path={REPORTS / name}"
        settings = {"TSAN_OPTIONS": options} | ({"LD_PRELOAD": str(MUTEX)} if preload else {})
        return os.environ | settings

    @property
    def count(self):
        return self.reports.count("WARNING: ThreadSanitizer:")

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


def build():
    PACKAGE.mkdir(parents=True, exist_ok=True)
    REPORTS.mkdir(exist_ok=True)
    for name in ["Sources", "Plugins", "Tests", "Demos"]:
        if not (PACKAGE / name).is_symlink():
            (PACKAGE / name).symlink_to(ROOT / name)
    names = ", ".join(f'"{name}"' for name in ["PlantedTests", *TARGETS])
    write(PACKAGE / "Package.swift", "\n".join([
        (ROOT / "Package.swift").read_text(), f"let sanitized = [{names}]", (HERE / "Selection.swift").read_text()]))
    run(["clang", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", MUTEX, HERE / "mutex.c", "-ldl"])
    # A cached build plan would miss added files. All modules are linked into one program; each has an entry point.
    run(["swift", "build", "--build-tests", "--disable-xctest", "--sanitize=thread", "--package-path", PACKAGE,
         "--scratch-path", FOLDER / "build", "--disable-build-manifest-caching", "-Xlinker",
         "--allow-multiple-definition"])


def run(command):
    if subprocess.run(command, cwd=ROOT).returncode:
        fail(f"'{command[0]}' failed.")


def check_planted():
    """Fails unless the sanitizer reports the planted races and nothing else."""
    for name, culprit in PLANTED.items():
        run = Run(f"PlantedTests/{name}\\(", name.replace("/", "-"))
        if not run.passed:
            fail(f"the planted test '{name}' did not pass:\n{run.output}")
        if culprit and culprit not in run.reports:
            fail(f"the planted race '{name}' is not reported, so others may be missed too.\n{run.reports}")
        if not culprit and run.count:
            fail(f"'{name}' is not a race but is reported:\n{run.reports}")
    print(f"{len(PLANTED)} planted uses: 3 races reported, 3 correct ones not")
    if not Run("PlantedTests/NoRaces/lock\\(", "without", preload=False).count:
        print("note: this toolchain reports its locks to the sanitizer itself; mutex.c is no longer needed")


def check(targets):
    """Runs the tests of each target; returns whether all passed without a report."""
    good = True
    for target in targets:
        run = Run(f"^{target}\\.", target)
        print(f"{target:26} {run.tests:4} tests {'passed' if run.passed else 'FAILED'} {run.count:4} reports "
              f"{run.seconds:6.0f} s", flush=True)
        if not run.passed:
            print(run.output[-6_000:])
        if run.count:
            print(run.reports[:20_000])
        good = good and run.passed and not run.count
    return good


def main(targets):
    unknown = [name for name in targets if name not in TARGETS]
    if unknown:
        fail(f"no such target: '{unknown[0]}'. Targets: {', '.join(TARGETS)}.")
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        fail("the sanitizer needs terabytes of address space; run it in a shell without 'ulimit -v'.")
    build()
    check_planted()
    if not check(targets or TARGETS):
        fail("tests failed or races were reported, see above.")


main(sys.argv[1:])
