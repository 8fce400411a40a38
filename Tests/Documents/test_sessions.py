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

    def test_output_without_a_command_is_a_fault(self):
        self.assertEqual(self.page("```console\nhello\n```\n").faults, ["page.md:2: output without a command"])


if __name__ == "__main__":
    unittest.main()
