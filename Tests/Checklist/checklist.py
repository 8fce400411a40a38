#!/usr/bin/env python3
"""Checks Docs/checklist.md against what a test run has really run.

    Tests/Checklist/checklist.py RESULTS.xml      (what 'swift test --xunit-output' wrote)

Each row of the checklist names its proofs in code spans:

    `EntitiesTests.EntityModelTests.optimisticCreate`   a test, which has to be among the results and passed
    `navigation-flow.transcript: Signed up.`            a line that this transcript holds; transcripts have run
    `MustNotCompile/ScreenAsksForRepository`            code that must not compile; that test has run
    `test_server.py: Tokens.test_rotation`              a test of the reference server; that test has run

A row that is not proved yet says so behind the word "open:", with the reason. Prints nothing and exits 0 where
everything holds; else prints a line for each thing that is wrong and exits 1.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as XML

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKLIST = ROOT / "Docs" / "checklist.md"
ROWS = range(27, 105)


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


def problem(proof, results):
    """What is wrong with one proof; None where it holds."""
    if match := re.fullmatch(r"([\w-]+\.transcript): (.+)", proof):
        path = ROOT / "Tests" / "Transcripts" / match[1]
        if not path.exists():
            return f"there is no {match[1]}"
        if match[2] not in path.read_text(encoding="utf-8"):
            return f"{match[1]} does not hold '{match[2]}'"
        return results.problem("HostTests.TranscriptTests.play")
    if match := re.fullmatch(r"MustNotCompile/(\w+)", proof):
        if not (ROOT / "Tests" / "MustNotCompile" / f"{match[1]}.swift").exists():
            return f"there is no Tests/MustNotCompile/{match[1]}.swift"
        return results.problem("HostTests.MustNotCompileTests.mustFail")
    if match := re.fullmatch(r"test_server\.py: (\w+)\.(\w+)", proof):
        text = (ROOT / "Demos" / "server" / "test_server.py").read_text(encoding="utf-8")
        if not re.search(rf"^class {match[1]}\b", text, re.M) or not re.search(rf"def {match[2]}\b", text):
            return f"test_server.py has no {match[1]}.{match[2]}"
        return results.problem("HostTests.ReferenceServerTests.server")
    if re.fullmatch(r"\w+\.[\w/]+\.\w+", proof):
        return results.problem(proof)
    return f"'{proof}' is no proof that this script knows"


def rows(text):
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and cells[0].isdigit():
            yield int(cells[0]), cells[-1]


def main():
    results = Results(sys.argv[1])
    wrong, seen = [], []
    for number, proofs in rows(CHECKLIST.read_text(encoding="utf-8")):
        seen.append(number)
        named = re.findall(r"`([^`]+)`", proofs)
        if not named and "open:" not in proofs:
            wrong.append(f"row {number} names no proof, and does not say what is open")
        wrong += [f"row {number}: {what}" for proof in named if (what := problem(proof, results))]
    wrong += [f"row {number} is missing" for number in ROWS if number not in seen]
    wrong += [f"row {number} stands there {seen.count(number)} times" for number in sorted(set(seen)) if seen.count(number) > 1]
    for line in wrong:
        print(f"Docs/checklist.md: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
