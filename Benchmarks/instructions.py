#!/usr/bin/env python3
"""Counts the instructions of five short scripts of the host, which a busy machine doesn't change.

Usage: instructions.py [--build DIR] [--keep-figures]

Compares them with instructions.json and fails where one grew by more than a tenth. A change that means it writes its
figures with --keep-figures, and says why in its commit. Needs valgrind, binutils and a release build.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KEPT = os.path.join(ROOT, "Benchmarks", "instructions.json")
MODULES = ["Session", "UserProfile", "Entities"]
ALLOWED = 1.1
ENTITIES, TIMES = 100, 100


class Failed(Exception):
    """The host can't run a script: another commit may lack a word of it."""


class Site:
    """A data folder with entities, and a copy of the host with its modules beside it."""
    def __init__(self, build, folder):
        self.folder = folder
        libraries = os.path.join(folder, "modules")
        os.makedirs(libraries)
        for name in ["atrium", *(f"lib{name}.so" for name in ["AtriumKit", *MODULES])]:
            # Valgrind can't read all of Swift's debug information.
            strip = ["strip", "--strip-debug", "-o", os.path.join(libraries, name), os.path.join(build, name)]
            subprocess.run(strip, check=True)
        self.temporary = os.path.join(folder, "tmp")
        os.makedirs(self.temporary)
        self.executable = os.path.join(libraries, "atrium")
        self.library = os.path.join(libraries, "libEntities.so")
        self.config = os.path.join(folder, "modules.json")
        with open(self.config, "w") as file:
            json.dump({"searchPaths": [libraries], "modules": [{"name": name} for name in MODULES]}, file)
        rows = os.path.join(folder, "rows.csv")
        with open(rows, "w") as file:
            file.write("name\n" + "".join(f"Entity {number}\n" for number in range(ENTITIES)))
        self.run([], f"entities import {rows}")
        # What is computed once, such as the verdicts on libraries, is there from now on.
        for script in SCRIPTS.values():
            try: self.run([], script(self, 1))
            except Failed: pass

    def run(self, prefix, script):
        arguments = [self.executable, "--data", os.path.join(self.folder, "data"), "--config", self.config]
        # Hashes with a new seed would need other numbers of instructions each time.
        # What others left in the folder of temporary files is looked through by an update.
        environment = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1", "LC_ALL": "C.UTF-8", "TMPDIR": self.temporary}
        done = subprocess.run(
            [*prefix, *arguments], input=script, capture_output=True, text=True, env=environment,
            cwd=self.folder, timeout=600)
        if done.returncode: raise Failed(f"The host ended with {done.returncode}: {done.stderr or done.stdout}"[:4000])
        return done

    def count(self, script):
        file = os.path.join(self.folder, "counted")
        self.run(["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={file}"], script)
        with open(file) as counted: return int(re.search(r"^(?:totals|summary): (\d+)", counted.read(), re.M)[1])


def update(site, times):
    # A build that differs is there once the library has another byte at its end.
    return f"where | cat >/dev/null && printf 0 >>'{site.library}'\nmodule update Entities\n" * times


# The start, and what a script needs beyond it.
SCRIPTS = {
    "1,000 × where": lambda site, times: "where\n" * (10 * times),
    "a page of entities": lambda site, times: "entities list\n" * times,
    "push and pop": lambda site, times: "open entities/1\nback\n" * times,
    "an update": lambda site, times: update(site, max(1, times // 50)),
}


def measure(build):
    """The instructions of each script in millions, after it has run once; without those that fail."""
    with tempfile.TemporaryDirectory(prefix="atrium-instructions-") as folder:
        site = Site(build, folder)
        start = site.count("exit\n")
        figures = {"start": start}
        for name, script in SCRIPTS.items():
            # Without what is done once, which a start may do or leave to the first command.
            try: figures[name] = site.count(script(site, 2 * TIMES)) - site.count(script(site, TIMES))
            except Failed as problem: print(f"{name}: {problem}", file=sys.stderr)
        return {name: round(count / 1e6, 2) for name, count in figures.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", metavar="DIR", default=os.path.join(ROOT, ".build", "release"))
    parser.add_argument("--keep-figures", action="store_true", help="write the figures to instructions.json")
    options = parser.parse_args()
    figures = measure(os.path.realpath(options.build))
    if options.keep_figures:
        with open(KEPT, "w") as file: file.write(json.dumps(figures, indent=2, ensure_ascii=False) + "\n")
    with open(KEPT) as file: kept = json.load(file)
    for name, count in figures.items():
        ratio = count / kept.get(name, float("nan"))
        print(f"{name:20} {count:12,.2f} million instructions, {ratio:.3f} of what is kept")
    if fault := compare(figures, kept): sys.exit(fault)


def compare(figures, kept):
    """What is wrong with the figures, beside those that are kept; None if nothing."""
    if kept.keys() != figures.keys(): return "Not every script of Benchmarks/instructions.json was counted."
    grown = [name for name, count in figures.items() if count > ALLOWED * kept[name]]
    if not grown: return None
    return f"More than a tenth more instructions than Benchmarks/instructions.json: {', '.join(grown)}."


if __name__ == "__main__": main()
