#!/usr/bin/env python3
"""Tests of checklist.py, on a project of a few files: each thing that is wrong is told, and nothing else."""
import pathlib
import tempfile
import unittest

import checklist

RESULTS = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="TestResults">
  <testcase classname="ShopTests.PriceTests" name="sum()" time="0.1" />
  <testcase classname="ShopTests.PriceTests" name="tax(_:_:)" time="0.1" />
  <testcase classname="ShopTests.PriceTests.Rounded" name="nested()" time="0.1" />
  <testcase classname="ShopTests" name="alone()" time="0.1" />
  <testcase classname="ShopTests.PriceTests" name="wrong()" time="0.1"><failure message="1 == 2" /></testcase>
  <testcase classname="ShopTests.PriceTests" name="off()" time="0"><skipped /></testcase>
  <testcase classname="HostTests.TranscriptTests" name="play(_:)" time="0.1" />
  <testcase classname="HostTests.MustNotCompileTests" name="mustFail(_:)" time="0.1" />
  <testcase classname="HostTests.ArchitectureTests" name="planted(_:)" time="0.1" />
  <testcase classname="HostTests.ReferenceServerTests" name="server()" time="0.1" />
  <testcase classname="HostTests.LiveTerminalTests" name="live()" time="0.1" />
</testsuite></testsuites>
"""

FILES = {
    "Tests/Transcripts/story.transcript": "# A lamp is made.\n$ atrium -c 'create Lamp'\nCreated 'Lamp'.\n\n",
    "Tests/MustNotCompile/Broken.swift": "// error: x\n",
    "Tests/MustNotCompile/Control.swift": "",
    "Tests/Fixtures/Architecture/Planted/View/A.swift": "// error: [rule] No.\n",
    "Tests/Fixtures/Architecture/Control/View/A.swift": "struct A {}\n",
    "Demos/server/test_server.py": "class OneTests:\n    def test_one(self): pass\n\n\n"
                                   "class TwoTests:\n    def test_two(self): pass\n",
    "Tests/Terminal/live.py": "def ends(host): pass\ndef helper(): pass\nSTEPS = [\n    ends,\n]\n",
    "Tests/Terminal/kill.py": "STEPS = [ends]\n",
}

GOOD = "`ShopTests.PriceTests.sum`"


def document(**proofs):
    """A checklist whose rows are proved, except where `proofs` has another text for row N, named rowN."""
    lines = ["# Checklist", "", "| Row | System | Proof |", "|---|---|---|"]
    lines += [f"| {row} | Something | {proofs.get(f'row{row}', GOOD)} |" for row in checklist.ROWS]
    return "\n".join(lines) + "\n"


class ChecklistTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in FILES.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")

    def problems(self, text, results=RESULTS):
        path = self.root / "results.xml"
        path.write_text(results, encoding="utf-8")
        return checklist.Checklist(self.root, checklist.Results(path)).problems(text)

    def expect(self, proof, *problems):
        self.assertEqual(self.problems(document(row50=proof)), [f"row 50: {problem}" for problem in problems])

    def test_a_good_document_passes(self):
        self.assertEqual(self.problems(document()), [])
        self.expect("of many cases `ShopTests.PriceTests.tax`, nested `ShopTests.PriceTests.Rounded.nested`, "
                    "of no suite `ShopTests.alone` · shown `story.transcript: Created 'Lamp'` · "
                    "`MustNotCompile/Broken` · `Architecture/Planted` · `test_server.py: TwoTests.test_two` · "
                    "`live.py: ends`")

    def test_what_is_open_needs_a_reason_and_may_name_proofs(self):
        self.assertEqual(self.problems(document(row30="open: unmeasured", row31=f"{GOOD} · open: half")), [])
        for proof in ["", "open:", "to do"]:
            self.assertEqual(self.problems(document(row30=proof)),
                             ["row 30 names no proof, and does not say what is open"])

    def test_a_test_that_did_not_run_is_told(self):
        self.expect(f"{GOOD} · `ShopTests.PriceTests.product`", "no test 'ShopTests.PriceTests.product' ran")
        self.expect("`ShopTests.sum`", "no test 'ShopTests.sum' ran")

    def test_a_test_that_failed_or_was_left_out_is_told(self):
        self.expect("`ShopTests.PriceTests.wrong`", "the test 'ShopTests.PriceTests.wrong' did not pass")
        self.expect("`ShopTests.PriceTests.off`", "the test 'ShopTests.PriceTests.off' did not pass")

    def test_a_proof_of_no_kind_is_told_even_where_something_is_open(self):
        self.expect("`make bench` · open: x", "'make bench' is no proof that this script knows")

    def test_a_transcript_has_to_print_what_is_named(self):
        self.expect("`story.transcript: Deleted`", "story.transcript does not print 'Deleted'")
        self.expect("`none.transcript: Created`", "there is no none.transcript")

    def test_what_is_typed_or_told_in_a_comment_is_not_printed(self):
        self.expect("`story.transcript: create Lamp`", "story.transcript does not print 'create Lamp'")
        self.expect("`story.transcript: lamp is made`", "story.transcript does not print 'lamp is made'")

    def test_what_a_test_runs_counts_only_where_that_test_passed(self):
        for proof, name in {
            "`story.transcript: Created`": checklist.TRANSCRIPTS,
            "`MustNotCompile/Broken`": checklist.MUST_NOT_COMPILE,
            "`Architecture/Planted`": checklist.ARCHITECTURE,
            "`test_server.py: OneTests.test_one`": checklist.SERVER,
            "`live.py: ends`": checklist.TERMINALS["live.py"],
        }.items():
            suite, function = name.rsplit(".", 1)
            without = RESULTS.replace(f'"{suite}" name="{function}(', f'"{suite}" name="another(')
            self.assertEqual(self.problems(document(row50=proof), without), [f"row 50: no test '{name}' ran"])

    def test_code_that_must_not_compile_has_to_be_there_and_is_not_the_control(self):
        for name in ["Missing", "Control"]:
            self.expect(f"`MustNotCompile/{name}`",
                        f"there is no Tests/MustNotCompile/{name}.swift that must not compile")

    def test_what_is_planted_has_to_be_there_and_is_not_the_control(self):
        for name in ["Missing", "Control"]:
            self.expect(f"`Architecture/{name}`",
                        f"there is no Tests/Fixtures/Architecture/{name} in which something is planted")

    def test_a_test_of_the_server_is_looked_for_in_its_class(self):
        self.expect("`test_server.py: OneTests.test_two`", "test_server.py has no OneTests.test_two")
        self.expect("`test_server.py: NoTests.test_one`", "test_server.py has no NoTests.test_one")

    def test_a_step_at_a_terminal_has_to_be_one_of_the_steps(self):
        self.expect("`live.py: helper`", "live.py has no step helper")
        self.expect("`kill.py: ends`", "there is no Tests/Terminal/kill.py that a test runs")

    def test_a_row_that_is_missing_is_told(self):
        text = "".join(line for line in document().splitlines(True) if not line.startswith("| 27 "))
        self.assertEqual(self.problems(text), ["row 27 is missing"])

    def test_a_row_that_is_there_twice_or_is_none_is_told(self):
        self.assertEqual(self.problems(document() + f"| 104 | Again | {GOOD} |\n"),
                         ["row 104 stands there 2 times"])
        self.assertEqual(self.problems(document() + f"| 105 | More | {GOOD} |\n"),
                         ["row 105 is none of A2 to A5"])


if __name__ == "__main__":
    unittest.main()
