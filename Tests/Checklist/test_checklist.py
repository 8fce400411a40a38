#!/usr/bin/env python3
"""Tests that checklist.py, documents.py and mutants.py find each fault of a small project, and nothing else."""
import os
import pathlib
import tempfile
import unittest
import unittest.mock

import checklist
import documents
import mutants

RESULTS = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="TestResults">
  <testcase classname="ShopTests.PriceTests" name="sum()" time="0.1" />
  <testcase classname="ShopTests.PriceTests" name="tax(_:_:)" time="0.1" />
  <testcase classname="ShopTests.PriceTests.Rounded" name="nested()" time="0.1" />
  <testcase classname="ShopTests.PriceTests" name="nothing()" time="0.1" />
  <testcase classname="ShopTests.PriceTests" name="text()" time="0.1" />
  <testcase classname="ShopTests.CartTests" name="full()" time="0.1" />
  <testcase classname="ShopTests" name="alone()" time="0.1" />
  <testcase classname="HostTests.ViewModelStateTests" name="written(_:)" time="0.1" />
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
    "Tests/Transcripts/story.transcript": "# Creates a lamp.\n$ atrium -c 'create Lamp'\nCreated 'Lamp'.\n\n"
                                          "$ converse <<END\n> list\n> count\n> END\n"
                                          "atrium> list\n 1  Lamp  <now>\natrium> count\nCount  1\n",
    "Tests/MustNotCompile/Broken.swift": "// error: x\n",
    "Tests/MustNotCompile/Control.swift": "",
    "Tests/Fixtures/Architecture/Planted/View/A.swift": "// error: [rule] No.\n",
    "Tests/Fixtures/Architecture/Control/View/A.swift": "struct A {}\n",
    "Demos/server/test_server.py": "class OneTests:\n    def test_one(self): pass\n\n\n"
                                   "class TwoTests:\n    def test_two(self): pass\n",
    "Tests/Terminal/live.py": "def ends(host): pass\ndef helper(): pass\nSTEPS = [\n    ends,\n]\n",
    "Tests/Terminal/kill.py": "STEPS = [ends]\n",
    "Tests/ShopTests/Helpers.swift": "func check(_ sum: Int) { compare(sum) }\nfunc compare(_ sum: Int) { #expect(sum == 3) }\n"
                                     "func show(_ sum: Int) {}\n",
    "Tests/ShopTests/PriceTests.swift": """@Suite struct PriceTests {
    @Test func sum() { check(3) }
    @Test("Of { cases", arguments: [1]) func tax(_ rate: Int, _ sum: Int) throws { try #require(rate < sum) }
    @Test func wrong() { #expect(1 == 2) }
    @Test func nothing() { show(3) } // #expect
    @Test func text() { show("#expect(1)") }
    struct Rounded { @Test func nested() { Issue.record("x") } }
}
@Suite struct OtherTests { @Test func nothing() { #expect(true) } }
@Test func alone() { #expect(true) }
""",
    "Examples/Shop/Tests/CartTests.swift": "struct CartTests { @Test func full() { #expect(true) } }\n",
}

GOOD = "`ShopTests.PriceTests.sum`"
SYSTEMS = {number: checklist.System(f"System {number}", "Works", "T") for number in range(1, 127)}
HEAD = "# Checklist\n\n| Row | System | What it has to do | In Atrium | Proof |\n|---|---|---|---|---|\n"


def document(**proofs):
    """A checklist whose rows all have a good proof, except for rowN in `proofs`."""
    return HEAD + "".join(f"| {row} | {system.title} | Works | A sentence | {proofs.get(f'row{row}', GOOD)} |\n"
                          for row, system in SYSTEMS.items())


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
        return checklist.Checklist(self.root, checklist.Results(path), SYSTEMS).problems(text)

    def expect(self, proof, *problems):
        self.assertEqual(self.problems(document(row50=f"{GOOD} {proof}")), [f"row 50: {problem}" for problem in problems])

    def test_a_good_document_passes(self):
        self.assertEqual(self.problems(document()), [])
        self.expect("of many cases `ShopTests.PriceTests.tax`, nested `ShopTests.PriceTests.Rounded.nested`, "
                    "of no suite `ShopTests.alone` · shown `story.transcript: $ atrium -c 'create Lamp' => Created 'Lamp'.` · "
                    "`MustNotCompile/Broken` · `Architecture/Planted` · `test_server.py: TwoTests.test_two` · "
                    "`live.py: ends`")

    def test_a_row_has_proofs_and_leaves_nothing_open(self):
        self.assertEqual(self.problems(document(row30="to do", row31=f"{GOOD} open: half")),
                         ["row 30 names no test, which its requirement asks for", "row 30 names no proof",
                          "row 31 has an open part"])

    def test_a_row_has_a_proof_of_each_kind_that_is_asked_for(self):
        proofs = {"T": GOOD, "X": "`live.py: ends`", "L": "`Architecture/Planted`", "B": "`MustNotCompile/Broken`"}
        for kind, proof in proofs.items():
            missing = f"row 9 names no {checklist.KINDS[kind]}, which its requirement asks for"
            for asked in [f"{kind} all of them", f"shown: {kind}/{kind}"]:
                with unittest.mock.patch.dict(SYSTEMS, {9: checklist.System("System 9", "Works", asked)}):
                    self.assertEqual(self.problems(document(row9=proof)), [])
                    for other in set(proofs) - {kind}:
                        self.assertEqual(self.problems(document(row9=proofs[other])),
                                         [] if (kind, other) == ("L", "B") else [missing])

    def test_a_test_that_compiles_what_must_not_compile_proves_that(self):
        with unittest.mock.patch.dict(SYSTEMS, {9: checklist.System("System 9", "Works", "B")}):
            self.assertEqual(self.problems(document(row9=GOOD + "`HostTests.ViewModelStateTests.written`")),
                             ["row 9: the test 'HostTests.ViewModelStateTests.written' expects nothing"])

    def test_a_test_that_expects_nothing_is_no_proof(self):
        self.expect("`ShopTests.CartTests.full`")
        for name in ["nothing", "text"]:
            self.expect(f"`ShopTests.PriceTests.{name}`", f"the test 'ShopTests.PriceTests.{name}' expects nothing")

    def test_a_test_that_did_not_run_is_told(self):
        self.expect(f"{GOOD} · `ShopTests.PriceTests.product`", "no test 'ShopTests.PriceTests.product' ran")
        self.expect("`ShopTests.sum`", "no test 'ShopTests.sum' ran")

    def test_a_test_that_failed_or_was_left_out_is_told(self):
        self.expect("`ShopTests.PriceTests.wrong`", "the test 'ShopTests.PriceTests.wrong' did not pass")
        self.expect("`ShopTests.PriceTests.off`", "the test 'ShopTests.PriceTests.off' did not pass")

    def test_a_proof_of_no_kind_is_told(self):
        self.expect("`make bench`", "'make bench' is not a known kind of proof")

    def test_a_transcript_prints_the_line_below_the_command(self):
        good = ["$ atrium … => Created 'Lamp'.", "$ atrium -c 'create Lamp' => Created '…'.", "> list => Count  1",
                "> count => 1  Lamp  …", "atrium> list => 1  Lamp  <now>", "atrium> count => Count  1"]
        self.expect(" ".join(f"`story.transcript: {proof}`" for proof in good))

    def test_a_transcript_without_the_command_or_the_line_is_told(self):
        for proof, problem in {
            "$ atrium -c 'create' => Created 'Lamp'.": "story.transcript has no command '$ atrium -c 'create''",
            "$ atrium … => Created": "'$ atrium …' in story.transcript does not print 'Created'",
            "$ atrium … => Count  1": "'$ atrium …' in story.transcript does not print 'Count  1'",
            "$ converse <<END => count": "'$ converse <<END' in story.transcript does not print 'count'",
            "atrium> list => Count  1": "'atrium> list' in story.transcript does not print 'Count  1'",
            "Created 'Lamp'.": "'story.transcript: Created 'Lamp'.' is not a known kind of proof",
        }.items():
            self.expect(f"`story.transcript: {proof}`", problem)
        self.expect("`none.transcript: $ a => b`", "there is no none.transcript")

    def test_what_a_test_runs_counts_only_where_that_test_passed(self):
        for proof, name in {
            f"{GOOD} `story.transcript: $ … => Created…`": checklist.TRANSCRIPTS,
            f"{GOOD} `MustNotCompile/Broken`": checklist.MUST_NOT_COMPILE,
            f"{GOOD} `Architecture/Planted`": checklist.ARCHITECTURE,
            f"{GOOD} `test_server.py: OneTests.test_one`": checklist.SERVER,
            f"{GOOD} `live.py: ends`": checklist.TERMINALS["live.py"],
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
                        f"there is no Tests/Fixtures/Architecture/{name} with an expected violation")

    def test_a_test_of_the_server_is_looked_for_in_its_class(self):
        self.expect("`test_server.py: OneTests.test_two`", "test_server.py has no OneTests.test_two")
        self.expect("`test_server.py: NoTests.test_one`", "test_server.py has no NoTests.test_one")

    def test_a_step_at_a_terminal_has_to_be_one_of_the_steps(self):
        self.expect("`live.py: helper`", "live.py has no step helper")
        self.expect("`kill.py: ends`", "there is no Tests/Terminal/kill.py that a test runs")

    def test_the_rows_are_those_of_the_list(self):
        text = "".join(line for line in document().splitlines(True) if not line.startswith("| 27 "))
        self.assertEqual(self.problems(text), ["row 27 is missing"])
        self.assertEqual(self.problems(document() + f"| 104 | System 104 | Works | Again | {GOOD} |\n"),
                         ["row 104 appears 2 times"])
        self.assertEqual(self.problems(document() + f"| 127 | More | Works | | {GOOD} |\n"),
                         ["row 127 is not a row of the checklist"])
        self.assertEqual(self.problems(document().replace("| System 5 | Works |", "| Another | Does |")),
                         ["row 5 is called 'System 5', not 'Another'", "row 5 asks for 'Works', not 'Does'"])

    def test_the_list_is_that_of_the_design(self):
        text = "| # | System / rule | What | Seed | Proof |\n|---|---|---|---|---|\n" \
               "| 1 | **Weak** observers | `Mock<Name>` for *all* | s0 | T count; X |\n| 2 | `.task` | y | s1 | B/L |\n"
        systems = checklist.read_list(checklist.design_list(text))
        self.assertEqual([systems[1].kinds, systems[2].kinds], [{"T", "X"}, {"B", "L"}])
        self.assertEqual(checklist.rewritten(HEAD + "| 1 | Old | Old | Does | `A.b` |\nText\n", systems),
                         HEAD + "| 1 | Weak observers | Mock\\<Name> for \\*all\\* | Does | `A.b` |\n"
                         "| 2 | .task | y |  |  |\nText\n")

    def test_results_that_are_older_than_a_source_do_not_count(self):
        results = self.root / "results.xml"
        results.write_text(RESULTS, encoding="utf-8")
        for path in self.root.rglob("*"):
            os.utime(path, (1_000, 1_000))
        os.utime(results, (2_000, 2_000))
        self.assertEqual(list(checklist.newer_files(self.root, results)), [])

        story = pathlib.Path("Tests/Transcripts/story.transcript")
        os.utime(self.root / story, (3_000, 3_000))
        self.assertEqual(list(checklist.newer_files(self.root, results)), [story])

        os.utime(self.root / story, (1_000, 1_000))
        host = pathlib.Path(".build/release/atrium")
        (self.root / host).parent.mkdir(parents=True)
        (self.root / host).write_text("built")
        self.assertEqual(list(checklist.newer_files(self.root, results)), [host])


class DocumentsTests(unittest.TestCase):
    FILES = {
        "Package.swift": 'name: "Shop", targets: [.target(name: "Prices")]\n',
        "Sources/Prices/Price.swift": "struct Price {\n    let cents: Int\n\n    func text() {}\n}\n",
        "Docs/architecture.md": "`Price.text()` of `Prices` in `Sources/Prices/Price.swift`, [more](other.md)\n",
        "Docs/other.md": "```swift\nlet cents: Int\nfunc text() {}\n```\n[web](https://example.org)\n",
    }

    def problems(self, **changes):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in (self.FILES | {f"Docs/{name}.md": text for name, text in changes.items()}).items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return list(documents.problems(root))

    def test_documents_that_agree_with_the_code_pass(self):
        self.assertEqual(self.problems(), [])

    def test_a_name_that_does_not_exist_is_found(self):
        for name in ["Cost", "Price.total()", "Sources/Prices/Cost.swift", "cost"]:
            self.assertEqual(len(self.problems(architecture=f"`Price` and `{name}`\n")), 1, name)

    def test_a_word_that_is_only_mentioned_is_no_type(self):
        self.assertEqual(self.problems(architecture="`Int`\n"),
                         ["Docs/architecture.md names 'Int', which does not exist"])

    def test_code_that_is_not_compiled_and_links_that_lead_nowhere_are_found(self):
        self.assertEqual(self.problems(other="```swift\nlet cents: String\n```\n[a](none.md)\n"),
                         ["Docs/other.md has Swift code that no compiled file has: let cents: String",
                          "Docs/other.md links to 'none.md', which does not exist"])

    def test_code_of_compiled_fixtures_counts_and_that_of_others_does_not(self):
        for folder, count in [("Modules/plain", 0), ("Architecture/Singleton", 1)]:
            with unittest.mock.patch.dict(self.FILES, {
                    f"Tests/Fixtures/{folder}/Module.swift": "let amount: Int\n"}):
                self.assertEqual(len(self.problems(other="```swift\nlet amount: Int\n```\n")), count, folder)

    def test_the_page_of_the_rules_shows_code_that_breaks_them(self):
        with unittest.mock.patch.dict(self.FILES, {
                "Tests/Fixtures/Architecture/Singleton/Module.swift": "let amount: Int\n"}):
            page = "```swift\nlet amount: Int\n```\n"
            self.assertEqual(self.problems(**{"architecture-check": page}), [])
            self.assertEqual(len(self.problems(**{"architecture-check": page.replace("Int", "Void")})), 1)

    def test_lines_that_are_left_out_are_shown_as_such(self):
        lines = "".join(f"    let line{number}: Int\n" for number in range(9))
        with unittest.mock.patch.dict(self.FILES, {"Sources/Prices/Long.swift": f"struct Long {{\n{lines}}}\n"}):
            for left_out, count in [("    // …\n", 0), ("", 1)]:
                page = f"```swift\nstruct Long {{\n{left_out}    let line8: Int\n}}\n```\n"
                self.assertEqual(len(self.problems(other=page)), count)

    def test_json_that_cannot_be_read_is_found(self):
        for block, count in [('{ "a": 1 }', 0), ('"a": { "b": 1 }', 0), ('{ "a": 1, }', 1)]:
            self.assertEqual(len(self.problems(other=f"```json\n{block}\n```\n")), count, block)

    def test_anchors_without_a_heading_are_found(self):
        page = "# Other\n## Errors and `codes`\n[a](#errors-and-codes) [b](other.md#nothing)\n```\n## nothing\n```\n"
        self.assertEqual(self.problems(other=page),
                         ["Docs/other.md links to 'other.md#nothing', which has no such heading"])

    def test_types_on_listed_pages_exist(self):
        self.assertEqual(self.problems(README="- [Other](other.md)\n", other="`Price`, `Price.cents`, `Cost`, `SQL`\n"),
                         ["Docs/other.md names 'Cost', which does not exist"])

    def test_each_public_type_of_the_kit_is_listed_once(self):
        kit = ("public struct A {}\n@MainActor\npublic final class B {}\n@_spi(Host) public enum C {}\nstruct D {}\n"
               "    public struct E {}\n")
        with unittest.mock.patch.dict(self.FILES, {"Sources/AtriumKit/Sources/AtriumKit/A.swift": kit}):
            self.assertEqual(self.problems(types="| `A`, `B` | x |\n"), [])
            self.assertEqual(self.problems(types="| `A`, `C` | `D` |\n| `A` | x |\n"), [
                "Docs/types.md lacks 'B', which is public", "Docs/types.md has 'C', which is not public",
                "Docs/types.md has 'A' twice"])


class MutantsTests(unittest.TestCase):
    FILE = """struct Shop {
    var isOpen: Bool { door == .open }

    func sell(_ lamp: Lamp) {
        guard isOpen, lamp.price > 0 else { return }
        stock.remove(lamp)
        if let buyer {
            buyer.take(lamp)
            log("sold", lamp)
        }
    }

    func reserve(_ lamp: Lamp) {
        store(lamp)
    }
}
"""

    def features(self, line):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(mutants, "ROOT", pathlib.Path(folder)):
            (pathlib.Path(folder) / "Shop.swift").write_text(self.FILE, encoding="utf-8")
            (pathlib.Path(folder) / "features.tsv").write_text(line + "\n", encoding="utf-8")
            return mutants.Features(pathlib.Path(folder) / "features.tsv")

    def lines(self, name):
        features = self.features(f"7\tShop.swift\t{name}")
        self.assertEqual(features.problems, [])
        return [line for _, line in sorted(features.lines[7])]

    def test_the_features_of_the_checklist_are_declared(self):
        features = mutants.Features(pathlib.Path(mutants.__file__).with_name("features.tsv"))
        self.assertEqual(features.problems, [])
        tested = {row for row, _ in mutants.named_tests()}
        self.assertEqual(set(features.lines) ^ tested, set(), "rows with features, or with unit tests, alone")

    def test_a_declaration_has_its_lines_with_some_words_or_without_them(self):
        self.assertEqual(self.lines("isOpen"), [2])
        self.assertEqual(self.lines("sell"), list(range(4, 12)))
        self.assertEqual(self.lines("sell/remove,log"), [6, 9])
        self.assertEqual(self.lines("sell-buyer,log reserve"), [4, 5, 6, 10, 11, 13, 14, 15])

    def test_what_is_not_declared_is_told(self):
        for name, problem in {"buy": "Shop.swift does not declare 'buy'",
                              "sell/refund": "Shop.swift has no 'refund' in 'sell'"}.items():
            self.assertEqual(self.features(f"7\tShop.swift\t{name}").problems, [f"features.tsv: row 7: {problem}"])
        self.assertEqual(self.features("7\tStore.swift\tsell").problems,
                         ["features.tsv: row 7: Store.swift does not declare 'sell'"])

    def test_conditions_are_negated_and_calls_left_out(self):
        lines = self.FILE.splitlines()
        changed = [mutants.changed(line, lines[number - 1], lines[min(number + 1, len(lines) - 1)], 5)
                   for number, line in enumerate(lines)]
        self.assertEqual([line for line in changed if line], [
            "    var isOpen: Bool { (door == .open) != atriumMutant(5) }",
            "        if !atriumMutant(5) { stock.remove(lamp) }",
            "            if !atriumMutant(5) { buyer.take(lamp) }",
            '            if !atriumMutant(5) { log("sold", lamp) }',
        ])

    def test_each_row_gets_as_many_mutants_as_the_others(self):
        candidates = [(row, f"{row}{letter}") for row, count in [(1, 9), (2, 2), (3, 1)] for letter in "abcdefghi"[:count]]
        drawn = mutants.spread(candidates, mutants.random.Random(3), 7)
        self.assertEqual([[row for row, _ in drawn].count(row) for row in [1, 2, 3]], [4, 2, 1])
        self.assertEqual(drawn, mutants.spread(candidates, mutants.random.Random(3), 7))


if __name__ == "__main__":
    unittest.main()
