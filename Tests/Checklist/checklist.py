#!/usr/bin/env python3
"""Checks Docs/checklist.md against what a test run has really run.

    Tests/Checklist/checklist.py RESULTS.xml      (what 'swift test --xunit-output' wrote)

Each row of the checklist names its proofs in code spans:

    `EntitiesTests.EntityModelTests.create`        a test, which has to be among the results and passed
    `navigation-flow.transcript: Signed up`        text that the host prints in this story; the stories have run
    `MustNotCompile/ScreenAsksForRepository`       code that must not compile; that test has run
    `Architecture/RepositoryAccess`                a module that the architecture check flags; that test has run
    `test_server.py: TokenTests.test_a_refresh_token_expires`   a test of the reference server, in the same way
    `live.py: live_ends_on_ctrl_c`                 a step at a real terminal; that test has run

A row that is not proved yet, or not wholly, says so behind the word "open:", with the reason. Prints nothing and
exits 0 where everything holds; else prints a line for each thing that is wrong and exits 1.
"""
import ast
import pathlib
import re
import sys
import xml.etree.ElementTree as XML

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = range(27, 105)
# The tests that run what is written in files of their own.
TRANSCRIPTS = "HostTests.TranscriptTests.play"
MUST_NOT_COMPILE = "HostTests.MustNotCompileTests.mustFail"
ARCHITECTURE = "HostTests.ArchitectureTests.planted"
SERVER = "HostTests.ReferenceServerTests.server"
TERMINALS = {
    "terminal.py": "HostTests.TerminalTests.terminal",
    "lifecycle.py": "HostTests.LifeCycleTerminalTests.lifeCycle",
    "live.py": "HostTests.LiveTerminalTests.live",
}


class Results:
    """The tests that ran, by the name that the checklist gives them, with whether all their cases passed."""

    def __init__(self, path):
        self.passed = {}
        for case in XML.parse(path).iter("testcase"):
            name = f"{case.get('classname')}.{re.sub(r'[(].*', '', case.get('name'))}"
            good = case.find("failure") is None and case.find("error") is None and case.find("skipped") is None
            self.passed[name] = self.passed.get(name, True) and good

    def problem(self, name):
        if name not in self.passed:
            return f"no test '{name}' ran"
        return None if self.passed[name] else f"the test '{name}' did not pass"


class Checklist:
    """The proofs of a project, looked up in its files and in the results of its tests."""

    def __init__(self, root, results):
        self.root = root
        self.results = results
        self.kinds = [
            (r"([\w-]+\.transcript): (.+)", self.transcript),
            (r"MustNotCompile/(\w+)", self.must_not_compile),
            (r"Architecture/(\w+)", self.planted),
            (r"test_server\.py: (\w+)\.(\w+)", self.server_test),
            (r"(\w+\.py): (\w+)", self.terminal_step),
            (r"(\w+(?:\.\w+)+)", self.results.problem),
        ]

    def problem(self, proof):
        """What is wrong with one proof; None where it holds."""
        for pattern, check in self.kinds:
            if match := re.fullmatch(pattern, proof):
                return check(*match.groups())
        return f"'{proof}' is no proof that this script knows"

    def transcript(self, name, text):
        path = self.root / "Tests" / "Transcripts" / name
        if not path.exists():
            return f"there is no {name}"
        # What somebody types, or a comment says, proves nothing.
        lines = path.read_text(encoding="utf-8").splitlines()
        if not any(text in line for line in lines if not line.startswith(("$ ", "> ", "# "))):
            return f"{name} does not print '{text}'"
        return self.results.problem(TRANSCRIPTS)

    def must_not_compile(self, name):
        path = self.root / "Tests" / "MustNotCompile" / f"{name}.swift"
        if name == "Control" or not path.exists():
            return f"there is no Tests/MustNotCompile/{name}.swift that must not compile"
        return self.results.problem(MUST_NOT_COMPILE)

    def planted(self, name):
        folder = self.root / "Tests" / "Fixtures" / "Architecture" / name
        if not any("// error: [" in file.read_text(encoding="utf-8") for file in folder.rglob("*.swift")):
            return f"there is no Tests/Fixtures/Architecture/{name} in which something is planted"
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
        """Everything that is wrong with the document `text`, a sentence each."""
        wrong, seen = [], []
        for number, proofs in rows(text):
            seen.append(number)
            named = re.findall(r"`([^`]+)`", proofs)
            if not named and not re.search(r"open: \w", proofs):
                wrong.append(f"row {number} names no proof, and does not say what is open")
            wrong += [f"row {number}: {what}" for proof in named if (what := self.problem(proof))]
        wrong += [f"row {number} is missing" for number in ROWS if number not in seen]
        for number in sorted(set(seen)):
            if number not in ROWS:
                wrong.append(f"row {number} is none of A2 to A5")
            if seen.count(number) > 1:
                wrong.append(f"row {number} stands there {seen.count(number)} times")
        return wrong


def rows(text):
    """The numbered rows of the document's tables, each with its last cell."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and cells[0].isdigit():
            yield int(cells[0]), cells[-1]


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    document = ROOT / "Docs" / "checklist.md"
    wrong = Checklist(ROOT, Results(sys.argv[1])).problems(document.read_text(encoding="utf-8"))
    for line in wrong:
        print(f"Docs/checklist.md: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
