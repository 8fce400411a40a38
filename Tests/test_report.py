#!/usr/bin/env python3
"""Tests of report.py, on output recorded from swift test 6.3.1."""
import io
import pathlib
import sys
import tempfile
import unittest

import report

RECORDED = """\
Building for debugging...
[0/9] Write sources
[8/9] Linking AtriumPackageTests.xctest
/work/Shop.swift:3:9: warning: variable 'a' was never used
1 | struct Shop {
  |     `- warning: variable 'a' was never used
Build complete! (7.45s)
◇ Test run started.
↳ Testing Library Version: 6.3.1 (937120cbc281cf2)
↳ Target Platform: x86_64-unknown-linux-gnu
◇ Suite ShopTests started.
↳ /// What a shop
↳ /// does.
◇ Test "it sells" started.
◇ Test case passing 1 argument text → "two
lines" to "it sells" started.
◇ Test case passing 1 argument text → "{
 1:2: error: two" to "it sells" started.
rgument text → "torn by what another process printed" to "it sells" started.
Soak: 60 generations
✔ Test case passing 1 argument text → "two
lines" to "it sells" passed after 0.001 seconds.
✔ Test "it sells" with 1 test case passed after 0.001 seconds.
➜ Test off() skipped: "not now"
✘ Test multi(_:) recorded an issue with 1 argument x → "a
b" at Shop.swift:5:56: Expectation failed: (x → "a
b") == ("c" → "c")
↳ two
    lines
━ Test known() passed after 0.001 seconds with 1 known issue.
✘ Test multi(_:) with 1 test case failed after 0.001 seconds with 1 issue.
✔ Suite PriceTests passed after 0.002 seconds.
↳ /// What a price is.
✘ Suite ShopTests failed after 0.003 seconds with 1 issue.
✘ Test run with 3 tests in 2 suites failed after 0.004 seconds with 1 issue.
"""

SHOWN = """\
Building for debugging...
/work/Shop.swift:3:9: warning: variable 'a' was never used
1 | struct Shop {
  |     `- warning: variable 'a' was never used
Build complete! (7.45s)
Soak: 60 generations
➜ Test off() skipped: "not now"
✘ Test multi(_:) recorded an issue with 1 argument x → "a
b" at Shop.swift:5:56: Expectation failed: (x → "a
b") == ("c" → "c")
↳ two
    lines
━ Test known() passed after 0.001 seconds with 1 known issue.
✘ Test multi(_:) with 1 test case failed after 0.001 seconds with 1 issue.
✔ Suite PriceTests passed after 0.002 seconds.
✘ Suite ShopTests failed after 0.003 seconds with 1 issue.
✘ Test run with 3 tests in 2 suites failed after 0.004 seconds with 1 issue.
"""

SUMMARY = """
Failures:
✘ Test multi(_:) recorded an issue with 1 argument x → "a
"""
CLOSING = "✘ Test run with "

CRASH = """\
Swift/ContiguousArrayBuffer.swift:692: Fatal error: Index out of range

*** Signal 4: Backtracing from 0x7fb59e56df7f... done ***

Thread 2 crashed:

0 0x00007fb59e56df7f _assertionFailure(_:_:file:line:flags:) in libswiftCore.so
1 [inlined] CrashTests.crash() in crash at /work/crash.swift:4:90
    2│ @Suite struct Crashing {
  error: Process '/work/xctest' exited with unexpected signal code 4
"""


def shown(text):
    filter = report.Filter()
    return "".join(line for line in text.splitlines(keepends=True) if filter.shows(line.rstrip("\n")))


class FilterTests(unittest.TestCase):
    def test_suites_failures_and_what_is_not_the_runners_are_shown(self):
        self.assertEqual(shown(RECORDED), SHOWN)

    def test_a_crash_is_shown_in_full_whatever_was_printed_before(self):
        for before in ["", "◇ Suite ShopTests started.\n", "◇ Suite ShopTests started.\n↳ /// What a shop does.\n",
                       '◇ Test case passing 1 argument text → "two\n']:
            self.assertEqual(shown(before + CRASH), CRASH)


class RunTests(unittest.TestCase):
    def run_script(self, script):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log"
            output = io.StringIO()
            output.isatty = lambda: False
            status = report.run(log, [sys.executable, "-c", script], output)
            return status, output.getvalue(), log.read_text(encoding="utf-8", errors="replace")

    def test_everything_is_kept_and_the_exit_code_is_that_of_the_command(self):
        script = f"import sys; sys.stdout.reconfigure(encoding='utf-8'); print({RECORDED!r}, end=''); sys.exit(7)"

        self.assertEqual(self.run_script(script), (7, SHOWN.replace(CLOSING, SUMMARY + CLOSING), RECORDED))

    def test_of_many_and_long_failures_the_first_are_named_at_the_end(self):
        failures = [f"✘ Test {n} recorded an issue at {'x' * 300}" for n in range(10)]
        recorded = "\n".join(failures + ["✘ Test run with 10 tests failed."])
        script = f"import sys; sys.stdout.reconfigure(encoding='utf-8'); print({recorded!r})"

        end = self.run_script(script)[1].split("Failures:\n")[1].splitlines()

        self.assertEqual(end[:8], [line[:239] + "…" for line in failures[:8]])
        self.assertRegex(end[8], r"^2 more failures: see .*log$")
        self.assertEqual(end[9], "✘ Test run with 10 tests failed.")

    def test_a_signal_is_an_exit_code_of_128_and_more(self):
        self.assertEqual(self.run_script("import os; os.kill(os.getpid(), 4)")[0], 132)

    def test_a_last_line_without_an_end_and_bytes_that_are_no_text_are_shown(self):
        script = r"import os; os.write(1, b'\xff half')"

        self.assertEqual(self.run_script(script)[1], "\ufffd half\n")


if __name__ == "__main__":
    unittest.main()
