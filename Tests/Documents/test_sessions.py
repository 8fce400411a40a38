#!/usr/bin/env python3
"""Tests what sessions.py makes of a page, and what it takes for the same output."""
import datetime
import pathlib
import tempfile
import unittest
import unittest.mock

import sessions


class AgreementTests(unittest.TestCase):
    def assertAgree(self, printed, expected, agrees=True):
        self.assertEqual(sessions.agree(printed.split("\n"), expected.split("\n")), agrees, printed)

    def test_lines_are_compared_in_full(self):
        self.assertAgree("Id  1\nName  Lamp", "Id  1\nName  Lamp")
        for printed in ["Id  2\nName  Lamp", "Id  1", "Id  1\nName  Lamp\nmore", "Name  Lamp\nId  1"]:
            self.assertAgree(printed, "Id  1\nName  Lamp", False)

    def test_an_ellipsis_is_any_text_of_a_line_or_any_lines(self):
        self.assertAgree("Counter 1.0.0 6001f69d…", "Counter 1.0.0 …")
        self.assertAgree("a\nb\nc\nd", "a\n…\nd")
        self.assertAgree("a\nb\nc", "a\n…\nd", False)

    def test_a_time_is_near_the_present_or_the_same(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        self.assertAgree(f"Created  {now:%Y-%m-%d %H:%M} UTC", "Created  2026-11-22 19:00 UTC")
        self.assertAgree(f"{now + datetime.timedelta(days=30):%Y-%m-%dT%H:%M:%SZ}", "2026-11-22T19:00:00Z")
        self.assertAgree("2026-01-01 09:00 UTC", "2026-01-01 09:00 UTC")
        self.assertAgree(f"{now - datetime.timedelta(hours=5):%Y-%m-%d %H:%M} UTC", "2026-11-22 19:00 UTC", False)

    def test_a_path_stands_for_itself_on_two_lines_too(self):
        for printed, expected in [
                ("in '/my own/house/lib'.", "in '/usr/lib'."),
                ("in\n  '/my\n  own/house/lib'.\nTry: a", "in\n  '/usr/lib'.\nTry: a"),
                ("/my\nown/house", "/my\nown/house"), ("/my other/house", "/my other/house")]:
            self.assertEqual(sessions.renamed(printed, "/my own/house", "/usr"), expected)

    def test_measured_times_may_differ_and_other_numbers_may_not(self):
        self.assertAgree("built in 0.21 ms", "built in 8 µs")
        self.assertAgree("delay 2.0 s", "delay 1.0 s", False)

    def test_a_change_of_a_watched_screen_may_come_later_but_must_come(self):
        expected = "Watching\nentities: category lighting -> seats\n\nUpdated"
        self.assertAgree("Watching\n\nUpdated\nentities: category lighting -> seats", expected)
        self.assertAgree("Watching\n\nUpdated", expected, False)
        self.assertAgree("Watching\n\nUpdated\nentities: category lighting -> plants", expected, False)


class PageTests(unittest.TestCase):
    def page(self, text):
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.object(sessions, "ROOT", pathlib.Path(folder)):
            path = pathlib.Path(folder) / "page.md"
            path.write_text(text)
            return sessions.Document(path)

    def test_lines_after_prompts_are_steps_with_their_output(self):
        page = self.page("# Page\n<!-- setup: mkdir a -->\n```console\n$ ls\n> -a\na\n\nlive ada home> where\nb\n```\n")

        self.assertEqual([(step.kind, step.typed, step.expected) for step in page.steps], [
            ("setup", ["mkdir a"], []), ("bash", ["$ ls", "> -a"], ["a", ""]),
            ("prompt", ["live ada home> where"], ["b"])])
        self.assertEqual(page.faults, [])

    def test_a_prompt_in_another_block_needs_a_reason(self):
        self.assertEqual(self.page("```\n$ ls\n```\n").faults,
                         ["page.md:2: the block has a prompt, but is not a `console` block"])
        self.assertEqual(self.page("<!-- not typed: takes hours -->\n```\n$ ls\n```\n").faults, [])
        self.assertEqual(len(self.page("<!-- not typed: takes hours -->\n```\n$ ls\n```\n```\n$ ls\n```\n").faults), 1)

    def test_a_diff_is_an_edit_of_a_file(self):
        page = self.page("```diff\n--- a/b.swift\n one\n+two\n```\n```console\n$ ls\n```\n")

        self.assertEqual([(step.kind, step.typed) for step in page.steps],
                         [("edit", ["--- a/b.swift", " one", "+two"]), ("bash", ["$ ls"])])
        self.assertEqual(page.faults, [])
        self.assertEqual(self.page("```diff\n+two\n```\n").faults, ["page.md:2: an edit without a file"])

    def test_output_without_a_command_is_a_fault(self):
        self.assertEqual(self.page("```console\nhello\n```\n").faults, ["page.md:2: output without a command"])


class EditTests(unittest.TestCase):
    TEXT = "func a() {\n    one\n}\n\nfunc b() {\n    one\n}\n"

    def edited(self, *lines, name="a.swift"):
        """What is wrong with an edit of a file, and the file after it."""
        with tempfile.TemporaryDirectory() as folder:
            site = sessions.Site(pathlib.Path(folder).resolve())
            (site.folder / "a.swift").write_text(self.TEXT)
            return site.edit([f"--- {name}", *lines]), (site.folder / "a.swift").read_text()

    def test_lines_are_replaced_and_added(self):
        problems, text = self.edited(" func a() {", "-    one", "+    two", "+    three", " }", "", "@@", "+// b", " func b() {")

        self.assertEqual(problems, [])
        self.assertEqual(text, self.TEXT.replace("one", "two\n    three", 1).replace("func b", "// b\nfunc b"))

    def test_the_last_line_of_a_file_can_be_replaced(self):
        self.assertEqual(self.edited(" func b() {", "     one", "-}", "+} // b"), ([], self.TEXT[:-1] + " // b\n"))

    def test_lines_that_are_missing_or_there_twice_change_nothing(self):
        for line in ["-    two", "-    one", "-func", "+    two"]:
            problems, text = self.edited(line)

            self.assertEqual(problems, [f"'a.swift' does not have these lines once: {line}"])
            self.assertEqual(text, self.TEXT)

    def test_a_file_outside_of_the_page_s_folder_is_not_changed(self):
        for name in ["b.swift", "../../a.swift", "Examples/Catalog/Package.swift"]:
            self.assertEqual(self.edited("-a", name=name), ([f"there is no file '{name}' to edit"], self.TEXT))


if __name__ == "__main__":
    unittest.main()
