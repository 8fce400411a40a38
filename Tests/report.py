#!/usr/bin/env python3
"""Runs the tests, keeps all that they print in a file, and shows what a person has to read.

    Tests/report.py LOG COMMAND...

Shows a line for each suite that ended, every failure in full, and whatever is not the test runner's: errors of
the build, figures that a test prints, the trace of a crash. Names the failures again above the closing line, since
often only the end of a log is kept. Ends with the command's exit code.
"""
import os
import re
import signal
import subprocess
import sys

# How the test runner begins its records where its output is no terminal: started, passed, skipped, failed, known
# issue, difference, warning, attachment.
RECORD = re.compile(r"[◇✔➜✘━±⚠⎙] ")
HIDDEN = re.compile(r"◇ |✔ Test (?!run with )")
# A record with an argument of several lines ends further down.
END = re.compile(r"(started|seconds|seconds with .*)\.$")
STARTED = re.compile(r'" started\.$')
# Shown wherever it stands.
ALARM = re.compile(r"\*\*\* |.*(Fatal error|error:)")
PROGRESS = re.compile(r"\[\d+/\d+\] ")
FAILURE = re.compile(r"✘ Test .* recorded an issue")
CLOSING = re.compile(r"✘ Test run with ")
# How many failures are named again, and how many characters of each.
NAMED, NAMED_WIDTH = 8, 240


class Filter:
    """Decides line by line what is shown."""

    def __init__(self):
        # The record that the next lines may belong to: whether it is shown, and whether its end was read.
        self.is_shown = True
        self.is_open = False
        self.is_in_details = False

    def shows(self, line):
        if RECORD.match(line):
            self.is_shown = not HIDDEN.match(line)
            self.is_open = not self.is_shown and not END.search(line)
            self.is_in_details = False
            return self.is_shown
        # The end of a start alone: the test's argument has several lines, or something was printed in between.
        if STARTED.search(line):
            self.is_open = False
            return False
        if self.is_open and not ALARM.match(line):
            self.is_open = not END.search(line)
            return False
        # Details of a record: what failed, or the comment of a suite or a test, which is in the source.
        if line.startswith("↳ ") or (self.is_in_details and line.startswith("  ")):
            self.is_in_details = True
            return self.is_shown and not line.startswith("↳ //")
        self.is_shown, self.is_open, self.is_in_details = True, False, False
        return not PROGRESS.match(line)


class Summary:
    """The first line of each failure, for the end."""

    def __init__(self):
        self.failures = []

    def read(self, line):
        if FAILURE.match(line):
            self.failures.append(line if len(line) <= NAMED_WIDTH else line[:NAMED_WIDTH - 1] + "…")

    def lines(self, log):
        more = len(self.failures) - NAMED
        return self.failures[:NAMED] + ([f"{more} more failures: see {log}"] if more > 0 else [])


def run(log, command, output):
    """Runs a command; returns its exit code, 128 + N if signal N ended it."""
    filter, summary = Filter(), Summary()
    wide = os.get_terminal_size(output.fileno()).columns - 1 if output.isatty() else 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        # Ctrl-C reaches the command too, which then ends; what it says about that is still read.
        previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
        with open(log, "wb", buffering=0) as file:
            for data in process.stdout:
                file.write(data)
                line = data.decode(errors="replace").rstrip("\n")
                summary.read(line)
                if filter.shows(line):
                    if CLOSING.match(line):
                        print("\nFailures:", *summary.lines(log), sep="\n", file=output)
                    print(("\r\033[K" if wide else "") + line, file=output, flush=True)
                elif wide and line:
                    print(f"\r\033[K{line[:wide]}\r", end="", file=output, flush=True)
    signal.signal(signal.SIGINT, previous)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    return run(sys.argv[1], sys.argv[2:], sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
