#!/usr/bin/env python3
"""Breaks the product one condition at a time, and says which rows of the checklist do not notice it.

    Tests/Checklist/mutants.py [--seed N] [--mutants N] [--folder DIR]

features.tsv names the declarations that each row is about. In a copy of the project, each condition is negated and
each call that is a statement is left out, if a variable of the environment names its number: one build has all
mutants. Of those in a row's declarations some are drawn with the seed, and the unit tests that the row names in
Docs/checklist.md run with each: at least one has to fail. Prints a line for each mutant that its row does not notice,
then how many were tried; exits with 1 if there is one.

Proofs that run the built host are not tried: it is built without mutants.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

import checklist

ROOT = checklist.ROOT
SOURCES = ["Sources", "Plugins"]
COPIED = ["Package.swift", *SOURCES, "Tests", "Examples", "Demos", "Docs", "modules.json", "Makefile"]
# Tools of the build, what tests are made of, and templates.
LEFT_OUT = {"ArchitectureTool", "AtriumTools", "AtriumTesting"}
NAME = "atriumMutant"
DECLARATION = f'@_silgen_name("atrium_mutant") func {NAME}(_ number: Int32) -> Bool\n'
LIBRARY = r"""
#include <stdlib.h>

_Bool atrium_mutant(int number) {
    static int active = -2;
    if (active == -2) {
        const char *text = getenv("ATRIUM_MUTANT");
        active = text ? atoi(text) : -1;
    }
    return number == active;
}
"""
# A condition without bindings, which is an expression; a statement that is a call.
CONDITIONS = [
    re.compile(r"^(?P<head>\s*(?:\} else )?if )(?P<condition>[^{},]+?)(?P<tail> \{.*)$"),
    re.compile(r"^(?P<head>\s*guard )(?P<condition>[^{},]+?)(?P<tail> else \{.*)$"),
    re.compile(r"^(?P<head>\s*(?:\w+ )*var \w+: Bool \{ )(?P<condition>[^{}]+?)(?P<tail> \})$"),
]
CALL = re.compile(r"^(?P<head>\s+)(?P<call>(?:try |await )*[a-z][\w.?!]*\([^{}]*\))$")
NEEDED = re.compile(r"\b(?:super|self)\.init|\bfatalError\b")
BINDING = re.compile(r"\b(?:let|var|case|is|_)\b|#available|#unavailable")


class Mutant:
    def __init__(self, number, path, line, text, nth):
        self.number, self.path, self.line, self.text = number, path, line, text
        # Names it where lines move: how many lines of the file before it have the same text.
        self.key = str(path), text, nth

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}"


def balanced(text):
    return all(text.count(one) == text.count(other) for one, other in ["()", "[]"])


def changed(line, previous, following, number):
    """The line with a mutant in it; None if it has nothing to break."""
    for pattern in CONDITIONS:
        match = pattern.match(line)
        if match and balanced(match["condition"]) and not BINDING.search(match["condition"]):
            return f"{match['head']}({match['condition']}) != {NAME}({number}){match['tail']}"
    match = CALL.match(line)
    # Alone in its block, it may be a value.
    is_alone = previous.rstrip().endswith("{") and following.strip().startswith("}")
    begins = previous.rstrip().endswith(("{", "}", ")"))
    if match and begins and not is_alone and balanced(match["call"]) and not NEEDED.search(line):
        return f"{match['head']}if !{NAME}({number}) {{ {match['call']} }}"
    return None


def mutate(copy, path, first, dropped):
    """Writes the mutants of a file; returns them."""
    original = ROOT / path
    mutants, lines, quoted, previous, seen = [], [], False, "", collections.Counter()
    # A mutant that is dropped keeps its number, or all files after it would change.
    text = original.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(text, 1):
        opens = line.count('"""') % 2 == 1
        code = not quoted and not opens and "//" not in line and "@" not in line
        other = changed(line, previous, "".join(text[number:number + 1]), first + len(mutants)) if code else None
        if other:
            mutants.append(Mutant(first + len(mutants), path, number, line.strip(), seen[line.strip()]))
        lines.append(line if not other or mutants[-1].key in dropped else other)
        seen[line.strip()] += 1
        quoted ^= opens
        previous = line if line.strip() else previous
    write(copy / path, "\n".join(lines) + "\n")
    return mutants


def write(path, text):
    """Writes a file that differs, so that what did not change is not built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def sources():
    """The Swift files of each target."""
    for parent in SOURCES:
        for target in sorted((ROOT / parent).iterdir()):
            folder = target / "Sources" / target.name if (target / "Package.swift").exists() else target
            files = [] if target.name in LEFT_OUT else sorted(folder.rglob("*.swift"))
            if files:
                yield folder.relative_to(ROOT), [file.relative_to(ROOT) for file in files]


class Copy:
    """The project's copy with all mutants, built."""

    def __init__(self, folder):
        self.folder = folder
        self.library = folder / "libmutant.so"
        self.known = folder / "dropped.json"
        self.dropped = {tuple(key) for key in json.loads(self.known.read_text())} if self.known.exists() else set()
        self.mutants = []

    def write(self):
        self.mutants = []
        for folder, files in sources():
            for path in files:
                self.mutants += mutate(self.folder, path, len(self.mutants), self.dropped)
            write(self.folder / folder / "Mutant.swift", DECLARATION)

    def build(self):
        """Builds the copy; a mutant that does not compile is left out, and the build begins again."""
        code = self.folder / "mutant.c"
        code.write_text(LIBRARY)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.library, code], check=True)
        command = ["swift", "build", "--build-tests", "--disable-xctest", "--scratch-path", ".build/tests",
                   "-Xlinker", self.library]
        for _ in range(20):
            self.write()
            run = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
            if run.returncode == 0:
                return
            wrong = self.broken(run.stdout)
            print(f"{len(wrong - self.dropped)} mutants do not compile", file=sys.stderr, flush=True)
            if not wrong - self.dropped:
                raise SystemExit(run.stdout[-3_000:])
            self.dropped |= wrong
            self.known.write_text(json.dumps(sorted(self.dropped)))
        raise SystemExit("the copy does not build")

    def broken(self, output):
        """The mutants at the lines of the compiler's errors, or else just before or after them."""
        found = set()
        for path, line in re.findall(rf"^{re.escape(str(self.folder))}/(\S+\.swift):(\d+):\d+: error:", output, re.M):
            near = [mutant for mutant in self.mutants if str(mutant.path) == path
                    and abs(mutant.line - int(line)) <= 3 and mutant.key not in self.dropped]
            exact = [mutant for mutant in near if mutant.line == int(line)]
            found |= {mutant.key for mutant in exact or near}
        return found

    def passes(self, tests, mutant=None, seconds=600):
        names = "|".join("[./]".join(map(re.escape, test.split("."))) for test in tests)
        environment = os.environ | ({"ATRIUM_MUTANT": str(mutant.number)} if mutant else {})
        bundle = self.folder / ".build/tests/debug/AtriumPackageTests.xctest"
        try:
            run = subprocess.run(
                [bundle, "--testing-library", "swift-testing", "--filter", rf"^({names})\("], cwd=self.folder,
                env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, start_new_session=True)
        except subprocess.TimeoutExpired:
            return False
        return run.returncode == 0 and not re.search(rb"with 0 tests", run.stdout)


class Features:
    """The declarations that a row of the checklist is about, from features.tsv, as lines of files.

    A line of it has a row, a file, and names: 'submit' is a declaration, 'submit/track,send' its lines with one of
    the words, 'submit-track,send' those with none of them. So a row is not asked for what others of its file do.
    """

    NAME = re.compile(r"(\w+)(?:([/-])(\S+))?")

    def __init__(self, path):
        self.lines = {}
        self.problems = []
        for line in path.read_text(encoding="utf-8").splitlines():
            row, file, names = line.split("\t")
            text = (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else ""
            for name in names.split():
                found, problem = self.find(name, text)
                if problem:
                    self.problems.append(f"features.tsv: row {row}: {file} {problem}")
                self.lines.setdefault(int(row), set()).update((file, number) for number in found)

    @classmethod
    def find(cls, name, text):
        """The lines that a name means, and what is wrong with it."""
        declared, mark, words = cls.NAME.fullmatch(name).groups()
        lines = text.splitlines()
        found = {number: lines[number - 1] for number in cls.lines_of(text, declared)}
        if not found:
            return found, f"does not declare '{declared}'"
        words = words.split(",") if mark else []
        for word in words:
            if not any(word in line for line in found.values()):
                return found, f"has no '{word}' in '{declared}'"
        if not mark:
            return found, None
        return {number for number, line in found.items() if (mark == "/") == any(word in line for word in words)}, None

    @staticmethod
    def lines_of(text, name):
        """The lines of a function, a property, an initializer or a type."""
        pattern = r"init[?(<]" if name == "init" else rf"(?:func|var|struct|class|actor|enum|protocol) `?{re.escape(name)}\b"
        for match in re.finditer(rf"^[^\n/]*?\b{pattern}", text, re.M):
            first = text.count("\n", 0, match.start()) + 1
            yield from range(first, first + checklist.block(text, match.start()).count("\n") + 1)


def named_tests():
    """The unit tests that each row names."""
    units = {path.name for path in (ROOT / "Tests").iterdir() if path.is_dir()} - {"HostTests"}
    for number, cells in checklist.rows(checklist.PAGE.read_text(encoding="utf-8")):
        named = re.findall(r"`(\w+(?:\.\w+)+)`", cells[-1])
        tests = [test for test in named if test.split(".")[0] in units]
        if tests:
            yield number, tests


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--mutants", type=int, default=120)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / ".build/mutants")
    parser.add_argument("--built", action="store_true", help="the copy is built already, from these sources")
    options = parser.parse_args()
    features = Features(pathlib.Path(__file__).with_name("features.tsv"))
    if features.problems:
        print(*features.problems, sep="\n")
        return 1
    copy = Copy(options.folder.resolve())
    if options.built:
        copy.write()
    else:
        prepare(copy.folder)
        copy.build()
    return report(copy, features, options.seed, options.mutants)


def prepare(folder):
    """Brings the copy's files that have no mutants up to date, without touching those that are."""
    mutated = {path for _, files in sources() for path in files}
    for name in COPIED:
        files = [ROOT / name] if (ROOT / name).is_file() else [
            path for path in (ROOT / name).rglob("*")
            if ".build" not in path.relative_to(ROOT).parts and (path.is_file() or path.is_symlink())]
        present = {file.relative_to(ROOT) for file in files}
        for path in present - mutated:
            target = folder / path
            if not same(ROOT / path, target):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.unlink(missing_ok=True)
                shutil.copy2(ROOT / path, target, follow_symlinks=False)
        for path in (folder / name).rglob("*") if (folder / name).is_dir() else []:
            gone = path.relative_to(folder) not in present and path.name != "Mutant.swift"
            if gone and ".build" not in path.relative_to(folder).parts and (path.is_file() or path.is_symlink()):
                path.unlink()


def same(one, other):
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink()
    return other.exists() and one.read_bytes() == other.read_bytes()


def report(copy, features, seed, count):
    rows, unsound = dict(named_tests()), []
    candidates = [(row, mutant) for row in rows for mutant in copy.mutants
                  if (str(mutant.path), mutant.line) in features.lines.get(row, ())
                  and mutant.key not in copy.dropped]
    drawn = spread(candidates, random.Random(seed), count)
    missed = 0
    for row in sorted({row for row, _ in drawn}):
        began = time.monotonic()
        if not copy.passes(rows[row]):
            unsound.append(row)
            print(f"row {row} does not pass without a mutant", flush=True)
        # A mutant may wait for ever.
        limit = 30 + 4 * (time.monotonic() - began)
        for mutant in (mutant for other, mutant in drawn if other == row and row not in unsound):
            if copy.passes(rows[row], mutant, limit):
                missed += 1
                print(f"row {row} does not notice {mutant}", flush=True)
    print(f"seed {seed}: {len(drawn)} mutants of {len(candidates)} in {len({row for row, _ in drawn})} rows were tried, "
          f"{missed} not noticed")
    return 1 if missed or unsound or not drawn else 0


def spread(candidates, draw, count):
    """As many mutants of each row as of the others, as far as they have some."""
    left = {}
    for row, mutant in draw.sample(candidates, len(candidates)):
        left.setdefault(row, []).append(mutant)
    turns = [(turn, row, mutant) for row, mutants in left.items() for turn, mutant in enumerate(mutants)]
    rows = draw.sample(sorted(left), len(left))
    turns.sort(key=lambda entry: (entry[0], rows.index(entry[1])))
    return [(row, mutant) for _, row, mutant in turns[:count]]


if __name__ == "__main__":
    sys.exit(main())
