#!/usr/bin/env python3
"""Checks Docs/checklist.md: every row of the design checklist is there, and its proofs passed in this run.

    Tests/Checklist/checklist.py RESULTS.xml …    (written by 'swift test --xunit-output')

The rows and titles are those of rows.txt, which is compared with ../shared/CHECKLIST.md if that exists.
The last cell of a row names the proofs in code spans:

    `EntitiesTests.EntityModelTests.create`             a test of this run that passed
    `story.transcript: $ atrium verify => Findings  0`  a command of a transcript, and a line of its output
    `MustNotCompile/ScreenAsksForRepository`            a file that must not compile
    `Architecture/RepositoryAccess`                     a module that breaks an architecture rule
    `test_server.py: TokenTests.test_a_refresh_token`   a test of the reference server
    `live.py: live_ends_on_ctrl_c`                      a step in a real terminal

A command has the prefix that it has in the transcript: '$ ', '> ', or 'atrium> ' for input of 'converse', whose
output ends at the next 'atrium> '. Commands and lines must match completely; '…' matches any text. Files that
other tests run count only if those tests passed. Prints nothing and exits with 0 if everything holds; otherwise
prints a line for each fault and exits with 1.
"""
import ast
import pathlib
import re
import sys
import xml.etree.ElementTree as XML

ROOT = pathlib.Path(__file__).resolve().parents[2]
TITLES = pathlib.Path(__file__).with_name("rows.txt")
# In Atrium's own development environment the design documents are beside the checkout.
DESIGN = ROOT.parent / "shared" / "CHECKLIST.md"
# The tests that run the contents of other files.
TRANSCRIPTS = "HostTests.TranscriptTests.play"
MUST_NOT_COMPILE = "HostTests.MustNotCompileTests.mustFail"
ARCHITECTURE = "HostTests.ArchitectureTests.planted"
SERVER = "HostTests.ReferenceServerTests.server"
TERMINALS = {
    "terminal.py": "HostTests.TerminalTests.terminal",
    "lifecycle.py": "HostTests.LifeCycleTerminalTests.lifeCycle",
    "live.py": "HostTests.LiveTerminalTests.live",
}
TESTED = ["Sources", "Plugins", "Examples", "Demos", "Tests"]
KINDS = {".swift", ".transcript", ".py", ".json"}


class Results:
    """The tests of this run by the names that the checklist uses, and whether all their cases passed."""

    def __init__(self, *paths):
        self.passed = {}
        for case in (case for path in paths for case in XML.parse(path).iter("testcase")):
            name = f"{case.get('classname')}.{re.sub(r'[(].*', '', case.get('name'))}"
            good = case.find("failure") is None and case.find("error") is None and case.find("skipped") is None
            self.passed[name] = self.passed.get(name, True) and good

    def problem(self, name):
        if name not in self.passed:
            return f"no test '{name}' ran"
        return None if self.passed[name] else f"the test '{name}' did not pass"


class Transcript:
    """A transcript's commands, each with the lines of its output."""

    def __init__(self, text):
        self.steps = []
        for line in text.splitlines():
            if line.startswith("$ "):
                self.steps.append(([line], []))
            elif self.steps and line.startswith("> ") and not self.steps[-1][1]:
                self.steps[-1][0].append(line)
            elif line.startswith("# "):
                self.steps.append(([], []))
            elif self.steps:
                self.steps[-1][1].append(line)

    def outputs(self, command):
        """The output of each command that matches."""
        for commands, lines in self.steps:
            if any(fits(line, command) for line in commands):
                yield lines
            for number, line in enumerate(lines):
                if command.startswith("atrium> ") and fits(line, command):
                    rest = lines[number + 1:]
                    end = next((n for n, line in enumerate(rest) if line.startswith("atrium> ")), len(rest))
                    yield rest[:end]


def fits(line, pattern):
    parts = [re.escape(part) for part in pattern.split("…")]
    return re.fullmatch(".*".join(parts), line.strip()) is not None


class Checklist:
    """Looks up the proofs of a project in its files and test results."""

    def __init__(self, root, results, titles):
        self.root = root
        self.results = results
        self.titles = titles
        self.kinds = [
            (r"([\w-]+\.transcript): ((?:\$|>|atrium>) .+?) => (.+)", self.transcript),
            (r"MustNotCompile/(\w+)", self.must_not_compile),
            (r"Architecture/(\w+)", self.planted),
            (r"test_server\.py: (\w+)\.(\w+)", self.server_test),
            (r"(\w+\.py): (\w+)", self.terminal_step),
            (r"(\w+(?:\.\w+)+)", self.results.problem),
        ]

    def problem(self, proof):
        """The problem with a proof; None if it holds."""
        for pattern, check in self.kinds:
            if match := re.fullmatch(pattern, proof):
                return check(*match.groups())
        return f"'{proof}' is not a known kind of proof"

    def transcript(self, name, command, text):
        path = self.root / "Tests" / "Transcripts" / name
        if not path.exists():
            return f"there is no {name}"
        outputs = list(Transcript(path.read_text(encoding="utf-8")).outputs(command))
        if not outputs:
            return f"{name} has no command '{command}'"
        if not any(fits(line, text) for lines in outputs for line in lines):
            return f"'{command}' in {name} does not print '{text}'"
        return self.results.problem(TRANSCRIPTS)

    def must_not_compile(self, name):
        path = self.root / "Tests" / "MustNotCompile" / f"{name}.swift"
        if name == "Control" or not path.exists():
            return f"there is no Tests/MustNotCompile/{name}.swift that must not compile"
        return self.results.problem(MUST_NOT_COMPILE)

    def planted(self, name):
        folder = self.root / "Tests" / "Fixtures" / "Architecture" / name
        if not any("// error: [" in file.read_text(encoding="utf-8") for file in folder.rglob("*.swift")):
            return f"there is no Tests/Fixtures/Architecture/{name} with an expected violation"
        return self.results.problem(ARCHITECTURE)

    def server_test(self, group, name):
        tree = ast.parse((self.root / "Demos" / "server" / "test_server.py").read_text(encoding="utf-8"))
        groups = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == group]
        if not any(getattr(node, "name", None) == name for found in groups for node in found.body):
            return f"test_server.py has no {group}.{name}"
        return self.results.problem(SERVER)

    def terminal_step(self, script, name):
        path = self.root / "Tests" / "Terminal" / script
        if script not in TERMINALS or not path.exists():
            return f"there is no Tests/Terminal/{script} that a test runs"
        steps = re.search(r"^STEPS = \[(.*?)\]", path.read_text(encoding="utf-8"), re.M | re.S)
        if not steps or name not in re.findall(r"\w+", steps[1]):
            return f"{script} has no step {name}"
        return self.results.problem(TERMINALS[script])

    def problems(self, text):
        """All problems of the document `text`, a sentence each."""
        wrong, seen = [], []
        for number, title, proofs in rows(text):
            seen.append(number)
            named = re.findall(r"`([^`]+)`", proofs)
            if number in self.titles and title != self.titles[number]:
                wrong.append(f"row {number} is called '{self.titles[number]}', not '{title}'")
            if not named:
                wrong.append(f"row {number} names no proof")
            if re.search(r"\bopen:", proofs):
                wrong.append(f"row {number} has an open part")
            wrong += [f"row {number}: {what}" for proof in named if (what := self.problem(proof))]
        wrong += [f"row {number} is missing" for number in self.titles if number not in seen]
        for number in sorted(set(seen)):
            if number not in self.titles:
                wrong.append(f"row {number} is not a row of the checklist")
            if seen.count(number) > 1:
                wrong.append(f"row {number} appears {seen.count(number)} times")
        return wrong


def rows(text):
    """The numbered rows of the document's tables: number, title, last cell."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and cells[0].isdigit():
            yield int(cells[0]), cells[1], cells[-1]


def read_titles(text):
    """The rows of rows.txt: a number and a title in each line."""
    return {int(line.split(" ", 1)[0]): line.split(" ", 1)[1] for line in text.splitlines()}


def design_titles(text):
    """The rows of the design checklist, without emphasis."""
    return {number: title.replace("**", "") for number, title, _ in rows(text)}


def newer_files(root, results):
    """Files that the tests depend on and that changed after the results were written."""
    written = results.stat().st_mtime
    for folder in TESTED:
        for path in (root / folder).rglob("*"):
            if path.suffix in KINDS and ".build" not in path.parts and path.stat().st_mtime > written:
                yield path.relative_to(root)


def main():
    results = [pathlib.Path(argument) for argument in sys.argv[1:]]
    if not results:
        print(__doc__, file=sys.stderr)
        return 2
    if missing := [file for file in results if not file.exists()]:
        print(f"{missing[0]} does not exist: the tests wrote no results.")
        return 1
    titles = read_titles(TITLES.read_text(encoding="utf-8"))
    document = (ROOT / "Docs" / "checklist.md").read_text(encoding="utf-8")
    proofs = Checklist(ROOT, Results(*results), titles)
    wrong = [f"Docs/checklist.md: {problem}" for problem in proofs.problems(document)]
    if DESIGN.exists() and design_titles(DESIGN.read_text(encoding="utf-8")) != titles:
        wrong.append(f"{TITLES.relative_to(ROOT)} differs from the rows of {DESIGN}.")
    oldest = min(results, key=lambda file: file.stat().st_mtime)
    wrong += [f"{oldest} is older than {path}: run the tests again." for path in newer_files(ROOT, oldest)][:1]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
