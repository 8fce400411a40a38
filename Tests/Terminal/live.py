#!/usr/bin/env python3
"""Watches changing screens and slow commands at the prompt of the built host, in a real terminal (tmux).

    Tests/Terminal/live.py [--host FILE] [--modules DIR] [--fixture PROGRAM] [STEP …]

PROGRAM builds a module of Tests/Fixtures/Modules: `PROGRAM NAME FOLDER`. Prints each step; for one that fails
what was missing and what the screen showed. Exits 1 if one failed.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import termios
import time

sys.dont_write_bytecode = True
from host import GUEST, Host, run  # noqa: E402: must follow the line above
from steps import FIXTURE, main  # noqa: E402

THERE = "local guest pulse>"


class Live(Host):
    """The built host with the module Pulse, whose screen changes by itself."""

    fixture = FIXTURE

    def begin(self, *options, columns=80, rows=24):
        """Starts the host, adds the module and opens its screen."""
        libraries = self.folder / "lib"
        libraries.mkdir()
        subprocess.run([self.fixture, "pulse", libraries], check=True, stdin=subprocess.DEVNULL)
        configuration = self.folder / "modules.json"
        configuration.write_text(
            f'{{"environment": "local", "searchPaths": ["{libraries}"], "modules": [{{"name": "Pulse"}}]}}')
        terminal = self.tmux.start(
            ["env", "PAGER=", self.executable, "--data", self.data, "--config", configuration, *options], columns, rows)
        terminal.expect_last_line(GUEST)
        run(terminal, "open pulse", "Pulse", then=THERE)
        return terminal


def clear(terminal, prompt=THERE):
    """Clears the screen, so that later output is new."""
    terminal.press("C-l")
    terminal.until("an empty screen", lambda: terminal.lines("-J") == [prompt])


def enter(terminal, line, prompt=THERE):
    """Types a line at the prompt and enters it."""
    terminal.type(line)
    terminal.expect_last_line(f"{prompt} {line}")
    terminal.press("Enter")


def shows(terminal, *lines):
    """Waits until the screen shows exactly these lines."""
    terminal.until(f"exactly {lines}", lambda: terminal.lines() == list(lines))


def is_echoing(terminal):
    return bool(terminal.ask(termios.tcgetattr)[3] & termios.ECHO)


def beat(terminal, limit, every):
    """Starts a count that changes by itself, and clears the screen."""
    run(terminal, f"beat {limit} --every {every}", "Count", prompt=THERE, then=THERE)
    clear(terminal)


# Screens that change

def live_shows_changes_in_place(host):
    terminal = host.begin()
    beat(terminal, 5, 400)
    enter(terminal, "live --changes 2")

    terminal.expect_text("live ended after 2 changes.")
    terminal.expect_last_line(THERE)

    lines = terminal.lines()
    terminal.expect(re.match(r"Count    [2-5]$", lines[2]), "the count did not change")
    terminal.expect(
        lines == [
            f"{THERE} live --changes 2", "Pulse", lines[2], "Columns  80", "live ended after 2 changes.", "",
            THERE],
        "the screen is not shown exactly once, above the prompt")


def live_ends_on_ctrl_c(host):
    terminal = host.begin()
    clear(terminal)
    enter(terminal, "live")
    shows(terminal, f"{THERE} live", "Pulse", "Count    0", "Columns  80")
    terminal.expect(not is_echoing(terminal), "typed characters are echoed into the screen")
    terminal.expect(terminal.is_gathering_lines(), "the terminal is in editing mode")

    terminal.press("C-c")

    shows(
        terminal, f"{THERE} live", "Pulse", "Count    0", "Columns  80", "live ended after 0 changes.", "",
        THERE)
    terminal.press("C-d")
    terminal.expect_end(0)


def live_ends_after_its_time(host):
    terminal = host.begin()
    run(terminal, "live --for 0.3", "live ended after 0 changes.", prompt=THERE, then=THERE)
    terminal.press("C-d")
    terminal.expect_end(0)


def live_hides_the_cursor_and_shows_whole_frames(host):
    terminal = host.begin()
    clear(terminal)
    terminal.expect(terminal.shows_cursor(), "no cursor at the prompt")
    enter(terminal, "live")
    shows(terminal, f"{THERE} live", "Pulse", "Count    0", "Columns  80")
    terminal.until("no cursor", lambda: not terminal.shows_cursor())
    written = (terminal.folder / "recording").read_text(errors="replace")
    frame = written.rpartition("\x1b[?2026h")[2]
    terminal.expect("Pulse" in frame and frame.endswith("\x1b[?2026l"), "the picture is no frame")

    terminal.press("C-c")

    terminal.expect_last_line(THERE)
    terminal.until("the cursor", terminal.shows_cursor)
    terminal.press("C-d")
    terminal.expect_end(0)


def live_shows_the_cursor_when_the_host_is_ended(host):
    terminal = host.begin()
    clear(terminal)
    enter(terminal, "live")
    terminal.until("no cursor", lambda: not terminal.shows_cursor())

    os.kill(terminal.pid(), signal.SIGTERM)

    terminal.until("the cursor", terminal.shows_cursor)


def what_is_typed_during_live_is_kept(host):
    terminal = host.begin()
    clear(terminal)
    enter(terminal, "live")
    shows(terminal, f"{THERE} live", "Pulse", "Count    0", "Columns  80")

    terminal.type("whe")
    terminal.press("C-c")
    terminal.expect_text("live ended after 0 changes.")
    terminal.expect_last_line(THERE)
    terminal.expect(not any("whe" in line for line in terminal.lines()), "the typed characters are visible")


def resizing_lays_out_again(host):
    terminal = host.begin()
    clear(terminal)
    enter(terminal, "live")
    shows(terminal, f"{THERE} live", "Pulse", "Count    0", "Columns  80")

    terminal.resize(40, 24)
    shows(terminal, f"{THERE} live", "Pulse", "Count    0", "Columns  40")
    terminal.resize(100, 30)
    shows(terminal, f"{THERE} live", "Pulse", "Count    0", "Columns  100")
    terminal.press("C-c")
    terminal.expect_text("live ended after 2 changes.")
    terminal.expect_last_line(THERE)


def a_tall_screen_shows_its_top(host):
    terminal = host.begin(rows=12)
    run(terminal, "rows 30", "row 30", prompt=THERE, then=THERE)
    clear(terminal)
    enter(terminal, "live")
    terminal.until("the note", lambda: terminal.lines()[-1] == "… 24 more lines below")
    terminal.expect(terminal.lines()[0] == "Pulse", "the top is missing")
    terminal.resize(80, 20)
    terminal.until("the note", lambda: terminal.lines()[-1] == "… 16 more lines below")
    terminal.expect(terminal.lines()[0] == "Pulse", "the top is missing")
    terminal.press("C-c")
    terminal.expect_last_line(THERE)


def announcements_go_above_the_picture(host):
    terminal = host.begin()
    run(terminal, "trace container on", "Trace  on", prompt=THERE, then=THERE)
    beat(terminal, 2, 700)
    enter(terminal, "live --changes 2")
    terminal.expect_text("live ended after 2 changes.")
    terminal.expect_last_line(THERE)
    built, lines = [], []
    for line in terminal.lines():
        (built if line.startswith("built Beat ") else lines).append(line)
    terminal.expect(len(built) == 2, "an announcement is missing")
    terminal.expect(
        lines == [
            f"{THERE} live --changes 2", "Pulse", "Count    2", "Columns  80", "live ended after 2 changes.",
            "", THERE],
        "the screen is not shown exactly once")
    terminal.expect(terminal.lines()[1:3] == built, "the announcements are not above the screen")


def top_is_redrawn_until_ctrl_c(host):
    terminal = host.begin(rows=40)
    clear(terminal)
    enter(terminal, "top")
    terminal.expect_text("Uptime")
    terminal.until("a second look", lambda: any("now " in line for line in terminal.lines()))
    terminal.expect(not is_echoing(terminal), "typed characters are echoed into the screen")
    terminal.expect(
        sum(line.startswith("Memory") for line in terminal.lines()) == 1, "it is not redrawn in place")
    terminal.resize(60, 12)
    terminal.until("the note", lambda: terminal.lines()[-1].endswith("more lines below"))
    terminal.press("C-c")
    terminal.expect_last_line(THERE)
    terminal.resize(80, 40)
    clear(terminal)
    run(terminal, "top --count 1", "Uptime", prompt=THERE, then=THERE)
    clear(terminal)
    run(terminal, "top | grep -c Uptime", "1", prompt=THERE, then=THERE)
    terminal.press("C-d")
    terminal.expect_end(0)


def live_ends_where_its_place_is_left(host):
    terminal = host.begin()
    run(terminal, "depart 1500", "Count    0", prompt=THERE, then=THERE)
    clear(terminal)
    enter(terminal, "live")
    terminal.expect_text("live ended after 0 changes: 'pulse' was left for 'home'.")
    terminal.expect_last_line(GUEST)


def announcements_above_the_prompt_fit_the_width(host):
    terminal = host.begin(columns=30)
    run(terminal, "trace container on", "Trace  on", prompt=THERE, then=THERE)
    run(terminal, "beat 1 --every 400", "Count    0", prompt=THERE, then=THERE)
    terminal.until(
        "an announcement in two lines",
        lambda: any(
            line.startswith("built Beat (") and not line.endswith("µs") and next_line.startswith("  ")
            and next_line.endswith("µs")
            for line, next_line in zip(terminal.lines(), terminal.lines()[1:])))
    terminal.expect_last_line(THERE)


# The terminal's size

def size_is_taken_from_the_terminal(host):
    terminal = host.begin(columns=90, rows=30)
    clear(terminal)
    run(terminal, "scenes", "90x30", prompt=THERE, then=THERE)
    terminal.resize(60, 20)
    clear(terminal)
    run(terminal, "scenes", "60x20", prompt=THERE, then=THERE)


def size_is_taken_from_the_option(host):
    terminal = host.begin("--size", "40x10", columns=90, rows=30)
    clear(terminal)
    run(terminal, "scenes", "40x10", prompt=THERE, then=THERE)
    terminal.resize(60, 20)
    clear(terminal)
    run(terminal, "scenes", "40x10", prompt=THERE, then=THERE)


# Slow commands

STATUS = re.compile(r"^pulse wait \d+: \d\.\d s; Ctrl-C cancels$|^wait \d+: \d\.\d s; Ctrl-C cancels$")


def a_slow_command_has_a_status_line(host):
    terminal = host.begin()
    clear(terminal)
    enter(terminal, "wait 2500")
    terminal.until("a status line", lambda: STATUS.match(terminal.last_line()))
    first = terminal.last_line()
    terminal.until("another time", lambda: STATUS.match(terminal.last_line()) and terminal.last_line() != first)
    terminal.expect(len(terminal.lines()) == 2, "the status is not one line")

    terminal.expect_text("Waited.")

    terminal.expect_last_line(THERE)
    terminal.expect(
        terminal.lines() == [f"{THERE} wait 2500", "Waited.", "", THERE], "the status line is still there")


def ctrl_c_takes_the_status_line_away(host):
    terminal = host.begin()
    clear(terminal)
    enter(terminal, "wait 60000")
    terminal.until("a status line", lambda: STATUS.match(terminal.last_line()))

    terminal.press("C-c")

    terminal.expect_text("error: The command was cancelled.")
    terminal.expect_last_line(THERE)
    terminal.expect(not any("Ctrl-C" in line for line in terminal.lines()), "the status line is still there")


def the_status_line_tells_how_far_the_command_is(host):
    terminal = host.begin()
    clear(terminal)
    enter(terminal, "import 300")
    status = re.compile(r"^import 300: \d\.\d s, (\d) of 10 \(\d+ %\); Ctrl-C cancels$")
    terminal.until("a count", lambda: status.match(terminal.last_line()))
    first = status.match(terminal.last_line())[1]
    terminal.until(
        "another count",
        lambda: status.match(terminal.last_line()) and status.match(terminal.last_line())[1] != first)

    terminal.expect_text("Imported.")

    terminal.expect_last_line(THERE)
    terminal.expect(not any("Ctrl-C" in line for line in terminal.lines()), "the status line is still there")
    run(terminal, "wait 100", "Waited.", prompt=THERE, then=THERE)


def a_quick_command_has_none(host):
    terminal = host.begin()
    clear(terminal)
    run(terminal, "wait 100", "Waited.", prompt=THERE, then=THERE)
    terminal.expect("Ctrl-C cancels" not in terminal.recording(), "there was a status line")


def a_secret_prompt_is_not_disturbed(host):
    terminal = host.begin()
    clear(terminal)
    enter(terminal, "sign 1500")
    terminal.expect_last_line("pin:")
    # Longer than a command may run without a status line.
    time.sleep(1.2)
    terminal.expect(terminal.lines() == [f"{THERE} sign 1500", "pin:"], "the secret prompt was overwritten")
    terminal.expect("Ctrl-C cancels" not in terminal.recording(), "there was a status line")
    terminal.type("1234")
    terminal.press("Enter")
    terminal.until("a status line", lambda: terminal.last_line().endswith("; Ctrl-C cancels"))
    terminal.expect_text("Signed.")
    terminal.expect_last_line(THERE)
    terminal.press("C-d")
    terminal.expect_end(0)


STEPS = [
    live_shows_changes_in_place, live_ends_on_ctrl_c, live_ends_after_its_time,
    live_hides_the_cursor_and_shows_whole_frames, live_shows_the_cursor_when_the_host_is_ended,
    what_is_typed_during_live_is_kept, resizing_lays_out_again, a_tall_screen_shows_its_top,
    announcements_go_above_the_picture, top_is_redrawn_until_ctrl_c, live_ends_where_its_place_is_left,
    announcements_above_the_prompt_fit_the_width, size_is_taken_from_the_terminal, size_is_taken_from_the_option,
    a_slow_command_has_a_status_line, ctrl_c_takes_the_status_line_away,
    the_status_line_tells_how_far_the_command_is, a_quick_command_has_none,
    a_secret_prompt_is_not_disturbed,
]

if __name__ == "__main__":
    main(__doc__, STEPS, Live)
