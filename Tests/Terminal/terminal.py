#!/usr/bin/env python3
"""Uses the built host in a real terminal (tmux) as a person would, in small steps.

    Tests/Terminal/terminal.py [--host FILE] [--modules DIR] [STEP …]

Prints each step; for one that fails what was missing and what the screen showed. Exits 1 if one failed.
"""

import json
import os
import pathlib
import re
import signal
import stat
import sys
import time

sys.dont_write_bytecode = True
from host import (  # noqa: E402: must follow the line above
    EMAIL, GUEST, MOCK, SECRET, Host, begin_slow_command, expect_cancelled, run, sign_up)
from steps import main  # noqa: E402


# The prompt

def prompt_shows_environment_person_and_place(host):
    terminal = host.start()
    run(terminal, "open entities", then="local guest entities>")
    sign_up(terminal)
    terminal.expect_last_line(f"local {EMAIL} entities>")
    run(terminal, "root", prompt=f"local {EMAIL} entities>", then=f"local {EMAIL} home>")


def prompt_shows_the_other_environment(host):
    host.start(MOCK, "mock")


# Tab

def tab_completes_a_command(host):
    terminal = host.start()
    terminal.type("whe")
    terminal.press("Tab")
    terminal.expect_last_line(f"{GUEST} where")
    terminal.press("Enter")
    terminal.expect_text("Link         home")


def tab_lists_commands(host):
    terminal = host.start()
    terminal.type("mod")
    terminal.press("Tab")
    terminal.expect_last_line(f"{GUEST} module")
    terminal.press("Tab")
    terminal.expect_text("modules  List modules", "module   Show a module")
    terminal.expect_last_line(f"{GUEST} module")


def tab_completes_a_link(host):
    terminal = host.start()
    terminal.type("prof")
    terminal.press("Tab")
    terminal.expect_last_line(f"{GUEST} profile")
    terminal.press("Tab")
    terminal.expect_text("profile/edit           A form", "profile/notifications  What")
    terminal.type("/e")
    terminal.press("Tab")
    terminal.expect_last_line(f"{GUEST} profile/edit")


def tab_completes_an_action_of_a_link(host):
    terminal = host.start()
    terminal.type("entities ")
    terminal.press("Tab")
    terminal.expect_text("create      Create an entity", "list        Show another list")
    terminal.type("cr")
    terminal.press("Tab")
    # A completed word is followed by a space: the next key begins another word.
    terminal.type("-")
    terminal.expect_last_line(f"{GUEST} entities create -")


def tab_completes_an_action_of_the_screen(host):
    terminal = host.start()
    there = "local guest entities>"
    run(terminal, "open entities", then=there)
    terminal.type("cre")
    terminal.press("Tab")
    terminal.expect_last_line(f"{there} create")


def tab_completes_an_argument_name(host):
    terminal = host.start()
    terminal.type("entities list --s")
    terminal.press("Tab")
    terminal.expect_text("--size ", "--sort ", "--search ")
    terminal.expect_last_line(f"{GUEST} entities list --s")
    terminal.type("o")
    terminal.press("Tab")
    terminal.expect_last_line(f"{GUEST} entities list --sort")


def tab_completes_a_choice(host):
    terminal = host.start()
    terminal.type("entities list --sort ")
    terminal.press("Tab")
    terminal.expect_text("name    -name   oldest  newest")
    terminal.expect_last_line(f"{GUEST} entities list --sort")
    terminal.type("ol")
    terminal.press("Tab")
    terminal.expect_last_line(f"{GUEST} entities list --sort oldest")


def tab_completes_swift_code(host):
    terminal = host.start()
    run(terminal, "swift let lanterns = [1, 2]", "Value")
    for typed, completed in [("swift lanter", "swift lanterns"), (".isEm", "swift lanterns.isEmpty")]:
        terminal.type(typed)
        # Nothing is completed if it takes longer than a second.
        terminal.until(completed, lambda: tab_leaves(terminal, f"{GUEST} {completed}"))
    terminal.press("Enter")
    terminal.expect_text("Value  no")


def tab_leaves(terminal, line):
    terminal.press("Tab")
    time.sleep(0.3)
    return terminal.last_line() == line


def tab_completes_a_link_to_open(host):
    terminal = host.start()
    terminal.type("op")
    terminal.press("Tab")
    terminal.type("entities/n")
    terminal.press("Tab")
    terminal.expect_last_line(f"{GUEST} open entities/new")
    terminal.press("Enter")
    terminal.expect_last_line("local guest entities/new>")


# History

def history_recalls_the_last_lines(host):
    terminal = host.start()
    run(terminal, "where")
    run(terminal, "modules")
    terminal.press("Up")
    terminal.expect_last_line(f"{GUEST} modules")
    terminal.press("Up")
    terminal.expect_last_line(f"{GUEST} where")
    terminal.press("Down")
    terminal.expect_last_line(f"{GUEST} modules")


def history_is_there_in_a_second_run(host):
    terminal = host.start()
    run(terminal, "where")
    run(terminal, "modules")
    terminal.press("C-d")
    terminal.expect_end(0)
    terminal = host.start()
    terminal.press("Up")
    terminal.expect_last_line(f"{GUEST} modules")
    terminal.press("Up")
    terminal.expect_last_line(f"{GUEST} where")
    terminal.expect(host.history.read_text() == "where\nmodules\n", f"{host.history} does not consist of the two lines")
    mode = stat.S_IMODE(host.history.stat().st_mode)
    terminal.expect(mode == 0o600, f"{host.history} has mode {mode:o}")


def the_beginning_of_a_line_finds_those_that_begin_so(host):
    for terminal in (host.start(), host.attach("--scene", "other")):
        for line in ("where", "modules", "where --json"):
            terminal.type(line)
            terminal.press("Enter")
            terminal.expect_last_line(GUEST)
        terminal.type("wh")
        for key, line in [("Up", "where --json"), ("Up", "where"), ("Down", "where --json"), ("Down", "wh")]:
            terminal.press(key)
            terminal.expect_last_line(f"{GUEST} {line}")
        terminal.press("C-u")


# Other programs

def the_line_can_be_edited_in_the_editor(host):
    editor = host.editor("sed -i 's/Lamp/Lantern/' \"$1\"")
    for terminal in (host.start(variables=[editor]), host.attach(variables=[editor])):
        terminal.type("entities create --name 'Blue Lamp'")
        terminal.press("C-x", "C-e")
        terminal.expect_text("Created 'Blue Lantern'.")
        terminal.expect_last_line(GUEST)
        terminal.press("Up")
        terminal.expect_last_line(f"{GUEST} entities create --name 'Blue Lantern'")
        terminal.press("C-u")
        # Lines of a value in quotes.
        terminal.type("entities create --name Long --notes 'one")
        terminal.press("Enter")
        terminal.expect_last_line("…")
        terminal.type("Lamp'")
        terminal.press("C-x", "C-e")
        terminal.expect_text("Notes     one", "          Lantern")
        terminal.expect_last_line(GUEST)


def an_editor_that_fails_leaves_the_line(host):
    editor = host.editor("echo 'entities delete-all --yes' > \"$1\"; exit 3")
    for terminal in (host.start(variables=[editor]), host.attach(variables=[editor])):
        terminal.type("where")
        terminal.press("C-x", "C-e")
        terminal.expect_text("warning: The editor ended with status 3; the line is as it was.")
        terminal.expect_last_line(f"{GUEST} where")
        terminal.type(" --json")
        terminal.press("Enter")
        terminal.expect_text('{"command":"where"')
        terminal.expect_last_line(GUEST)


def long_results_are_shown_in_the_pager(host):
    pager = ["PAGER=less", "LESS=-X"]
    for terminal in (host.start(variables=pager), host.attach(variables=pager)):
        terminal.resize(80, 10)
        terminal.type("help")
        terminal.press("Enter")
        terminal.expect_last_line(":")
        terminal.press("q")
        terminal.expect_last_line(GUEST)
        terminal.type("where")
        terminal.press("Enter")
        terminal.expect_text("Link         home")
        terminal.expect_last_line(GUEST)


# Several terminals

def three_terminals_come_back_after_a_kill(host):
    first = host.start()
    second, third = host.attach(), host.attach("--scene", "desk")
    third.type("live entities")
    third.press("Enter")
    third.expect_text("Add your first entity")
    run(second, "entities create --name Lamp", "Created 'Lamp'.")
    third.expect_text("1 entity, page 1 of 1, by name")
    third.press("C-c")
    # A disk that takes its time makes two changes of one: the entity is shown while it is being created.
    ends = {"live ended after 1 change.", "live ended after 2 changes."}
    third.until("the end of live", lambda: ends.intersection(third.lines("-J")))
    third.type("open entities")
    third.press("Enter")
    third.expect_last_line("local guest entities>")
    lock = json.loads((host.data / "host.lock").read_text())
    os.kill(lock["process"], signal.SIGKILL)
    for terminal, prompt in ((first, GUEST), (second, GUEST), (third, "local guest entities>")):
        terminal.expect_text("warning: The host was ended from outside by SIGKILL")
        terminal.expect_last_line(prompt)
    for terminal in (second, third):
        terminal.expect_text("The host is back as process")
    run(second, "entities create --name Desk", "Created 'Desk'.")
    run(third, "list", "2 entities, page 1 of 1, by name", prompt="local guest entities>", then="local guest entities>")
    for terminal in (second, third, first):
        terminal.press("C-d")
        terminal.expect_end(0)
        said = terminal.recording().count("unexpectedly")
        terminal.expect(said == (0 if terminal is first else 1), f"the end of the host was told {said} times")


def three_terminals_come_back_after_a_restart(host):
    first = host.start()
    second, third = host.attach(), host.attach("--scene", "desk")
    for terminal in (first, third):
        terminal.type("open entities")
        terminal.press("Enter")
        terminal.expect_last_line("local guest entities>")
    prompts = ((first, "local guest entities>"), (second, GUEST), (third, "local guest entities>"))
    for terminal, count in ((third, 1), (first, 2)):
        before = json.loads((host.data / "host.lock").read_text())["process"]
        terminal.type("exit --restart")
        terminal.press("Enter")
        for other in (second, third):
            other.until(
                "the restart", lambda other=other: other.recording().count("The host is back as process") == count)
        after = json.loads((host.data / "host.lock").read_text())["process"]
        terminal.expect(before != after, "the host has another process")
        for other, prompt in prompts:
            other.expect_last_line(prompt)
    run(second, "entities create --name Lamp", "Created 'Lamp'.")
    run(first, "list", "1 entity, page 1 of 1, by name", prompt="local guest entities>", then="local guest entities>")
    for terminal, _ in prompts[1:] + prompts[:1]:
        terminal.press("C-d")
        terminal.expect_end(0)
        terminal.expect("unexpectedly" not in terminal.recording(), "the end of the host was expected")


# Secrets

def secret_is_asked_for_without_echo(host):
    terminal = host.start()
    sign_up(terminal)
    terminal.expect_last_line(f"local {EMAIL} home>")
    terminal.until("the recording", lambda: "Signed up" in terminal.recording())
    answer = terminal.recording().split("password:")[-1].split("Signed up")[0].replace("password, again:", "")
    terminal.expect(answer.isspace(), f"characters were echoed while the secret was typed: {answer!r}")
    terminal.expect(SECRET not in "".join(terminal.lines("-J", "-S", "-")), "the screen shows the secret")
    history = host.history.read_text()
    terminal.expect(history == f"session sign-up --email {EMAIL}\n", f"the history is {history!r}")
    terminal.expect(not host.files_with(SECRET), f"the secret is in {host.files_with(SECRET)}")


def leave_open(terminal, line, prompt):
    """Types a line with an open quote, which goes on in the next one, and drops it."""
    terminal.type(line)
    terminal.press("Enter")
    terminal.expect_last_line("…")
    terminal.press("C-c")
    terminal.expect_last_line(prompt)


def secret_typed_plainly_is_not_kept(host):
    terminal = host.start()
    sign_up(terminal)
    signed_in = f"local {EMAIL} home>"
    terminal.expect_last_line(signed_in)
    line = f"session sign-in --email {EMAIL} --password"
    run(terminal, f"{line} {SECRET}", f"Signed in as {EMAIL}.", prompt=signed_in)
    run(terminal, f"where; session sign-in {EMAIL} {SECRET}", f"Signed in as {EMAIL}.", prompt=signed_in)
    run(terminal, f"{line}=nicht-{SECRET}", "Email or password is wrong.", prompt=signed_in)
    run(terminal, f"sesion --password 'falsch {SECRET}'", "There is no command", prompt=signed_in)
    leave_open(terminal, f"{line} 'offen {SECRET}", signed_in)
    terminal.expect(EMAIL in host.history.read_text(), "the history is empty")
    terminal.press("C-d")
    terminal.expect_end(0)
    terminal.expect(not host.files_with(SECRET), f"the secret is in {host.files_with(SECRET)}")


FORMS = [
    f"session sign-in --email {EMAIL} --password {SECRET}", f"session sign-in --email {EMAIL} --password={SECRET}",
    f"session sign-in {EMAIL} {SECRET}", f"session sign-in {EMAIL} --pasword {SECRET}",
    f"session sign-in {EMAIL} --Password={SECRET}", f"session sign-in {EMAIL} falsch {SECRET}",
    f"session sign-in {EMAIL} -- {SECRET}", f"sesion sign-in {EMAIL} {SECRET}", f"session sing-in {EMAIL} {SECRET}",
    f"session sign-in {EMAIL} '{SECRET}", f"where; session sign-in {EMAIL} {SECRET}", f"password={SECRET}",
    f"session?password={SECRET}", f"{EMAIL} {SECRET}", f"session {SECRET}", f"help sign-in {SECRET}",
    f"session sign-out {SECRET}", SECRET, f"{SECRET} {SECRET}", f"{SECRET}'",
]
"""The forms in which a password may stand in a line, behind a sign-in that failed."""


def secret_in_no_form_is_kept_or_repeated(host):
    terminal = host.start()
    for form in FORMS:
        run(terminal, f"session sign-in --email {EMAIL} --password falsch", "is wrong.")
        leave_open(terminal, form, GUEST) if form.count("'") == 1 else run(terminal, form)
        shown = [line for line in terminal.lines("-J", "-S", "-") if SECRET in line and not line.startswith(GUEST)]
        terminal.expect(not shown, f"behind {form!r} the screen shows {shown}")
        terminal.press("Up")
        terminal.until("a line of the history", lambda: terminal.last_line() != GUEST)
        terminal.expect(SECRET not in terminal.last_line(), f"the history has {terminal.last_line()!r}")
        terminal.press("C-c")
        terminal.expect_last_line(GUEST)
    terminal.expect(len(host.history_lines()) > 4, f"the history is {host.history_lines()}")
    run(terminal, "frobnicate", "There is no command, action or link '…'.")
    run(terminal, "where")
    run(terminal, "frobnicate", "There is no command, action or link 'frobnicate'.")
    run(terminal, "wehre", "Did you mean 'where'?")
    terminal.press("Up")
    terminal.expect_last_line(f"{GUEST} wehre")
    terminal.press("C-c")
    terminal.expect_last_line(GUEST)
    terminal.press("C-d")
    terminal.expect_end(0)
    terminal.expect(not host.files_with(SECRET), f"the secret is in {host.files_with(SECRET)}")
    terminal.expect("frobnicate" not in host.history_lines(), "a word that means nothing is kept")


def secret_is_dropped_by_ctrl_c(host):
    terminal = host.start()
    terminal.type(f"session sign-up --email {EMAIL}")
    terminal.press("Enter")
    terminal.expect_last_line("password:")
    terminal.type(SECRET)
    terminal.press("C-c")
    terminal.expect_last_line(GUEST)
    run(terminal, "where", "Person       guest")
    terminal.expect(SECRET not in terminal.recording(), "the secret was visible")


# Ctrl-C and typing ahead

def ctrl_c_at_the_prompt_drops_the_line(host):
    terminal = host.start()
    terminal.type("entities create --name nobody")
    terminal.expect_last_line(f"{GUEST} entities create --name nobody")
    terminal.press("C-c")
    terminal.expect_last_line(GUEST)
    run(terminal, "entities", "Add your first entity")
    terminal.expect("nobody" not in host.history.read_text(), "the dropped line is in the history")


def ctrl_c_cancels_a_slow_command(host):
    terminal = host.start_slow(delay=60)
    for count, line in enumerate(["entities", "entities list --page 2"], start=1):
        begin_slow_command(host, terminal, line)
        terminal.press("C-c")
        expect_cancelled(terminal, count)
    run(terminal, "where", "Link         home", prompt=MOCK)
    terminal.press("C-d")
    terminal.expect_end(0)


def ctrl_c_right_behind_enter_cancels(host):
    terminal = host.start_slow(delay=60)
    for count in range(1, 11):
        terminal.type("entities")
        terminal.expect_last_line(f"{MOCK} entities")
        terminal.press("Enter")
        while not terminal.is_gathering_lines():
            pass
        # Does what the terminal does on Ctrl-C, without the delay of a key through tmux.
        os.killpg(os.getpgid(terminal.pid()), signal.SIGINT)
        expect_cancelled(terminal, count)


def typing_ahead_is_kept(host):
    terminal = host.start_slow(delay=2)
    begin_slow_command(host, terminal, "entities")
    terminal.type("where\rmodu")
    terminal.expect(terminal.is_gathering_lines(), "the command ended before anything was typed ahead")
    terminal.expect_last_line(f"{MOCK} modu")
    terminal.expect_text("46 entities", "Link         home")
    terminal.type("les")
    terminal.press("Enter")
    terminal.expect_text("Entities  1.0.0    active  mock")
    terminal.expect_last_line(MOCK)


def typing_ahead_leaves_the_progress_line(host):
    terminal = host.start_slow(delay=3)
    begin_slow_command(host, terminal, "entities")
    terminal.type("whe")
    terminal.expect_text("; Ctrl-C cancels")
    terminal.type("re")
    for _ in range(20):
        line = terminal.last_line()
        is_whole = re.fullmatch(r"entities: [0-9.]+ s; Ctrl-C cancels", line)
        terminal.expect(is_whole, f"the progress line is {line!r}")
        terminal.type(" ")
    terminal.expect_text("46 entities")
    terminal.expect_last_line(f"{MOCK} where")
    terminal.press("Enter")
    terminal.expect_text("Link         home")


# The window

def pasted_lines_all_run(host):
    terminal = host.start()
    for bracketed in (True, False):
        names = [f"{'with' if bracketed else 'without'}{number}" for number in (1, 2, 3)]
        terminal.paste("".join(f"entities create --name {name}\n" for name in names), bracketed)
        terminal.expect_text(*(f"Created '{name}'." for name in names))
        terminal.expect_last_line(GUEST)
    run(terminal, "entities", "6 entities, page 1 of 1, by name")


def a_pasted_line_has_a_bound(host):
    terminal = host.start()
    for count, bracketed in ((1_000, True), (3_000_000, True), (3_000_000, False)):
        terminal.paste(f"links {'x' * count}\n", bracketed)
        terminal.expect_text(
            "takes fewer values" if count < 1 << 20 else "The line is longer than 1048576 bytes; it was not run.")
        terminal.expect_last_line(GUEST)
        terminal.press("C-l")
        terminal.until("an empty screen", lambda: terminal.lines() == [GUEST])
    run(terminal, "where", "Person       guest")


def a_typed_secret_has_a_bound(host):
    terminal = host.start()
    terminal.type(f"session sign-in --email {EMAIL}")
    terminal.press("Enter")
    terminal.expect_last_line("password:")
    terminal.paste(f"{'x' * 1_100_000}\n", False)
    terminal.expect_text("The secret is longer than 1048576 bytes; the command was not run.")
    terminal.expect_last_line(GUEST)


def tables_fit_the_width(host):
    terminal = host.start()
    name, category = "Dampfschifffahrtsgesellschaftskapitän", "Für vierzig Spalten viel zu lang"
    run(terminal, f"entities create --name {name} --category '{category}'", f"Created '{name}'.")
    for columns in (40, 100):
        terminal.resize(columns)
        terminal.press("C-l")
        terminal.until("an empty screen", lambda: terminal.lines() == [GUEST])
        run(terminal, "entities", "1 entity, page 1 of 1")
        run(terminal, "modules", "Version")
        rows = terminal.lines()
        terminal.expect(rows == terminal.lines("-J"), f"a line is wider than {columns} columns")
        is_used = any(len(row) > columns * 0.8 for row in rows)
        terminal.expect(is_used, f"the output does not use {columns} columns")
        is_whole = any(name in row and category in row for row in rows)
        terminal.expect(is_whole == (columns == 100), "a row is not truncated exactly if it is too wide")


def lists_fit_a_small_terminal(host):
    terminal = host.start()
    for name in ("Lampe", "Stuhl", "Tisch"):
        run(terminal, f"entities create --name {name} --category Wohnen", f"Created '{name}'.")
    for columns, rows, shown in ((80, 6, 2), (20, 6, 1), (40, 10, 3)):
        terminal.resize(columns, rows)
        terminal.until("the new size", lambda: terminal.ask(os.get_terminal_size).lines == rows)
        for line in ("entities", "entities/categories"):
            terminal.press("C-l")
            terminal.until("an empty screen", lambda: terminal.lines("-J") == [GUEST])
            terminal.type(line)
            terminal.press("Enter")
            title = "Entities" if line == "entities" else "Categories"
            terminal.until(f"a screen with {title}", lambda: terminal.last_line() == GUEST)
            terminal.expect(title in terminal.lines(), f"{columns} × {rows}: the title of {line} is not on the screen")
            if line == "entities":
                found = sum(name in row for row in terminal.lines() for name in ("Lampe", "Stuhl", "Tisch"))
                terminal.expect(found == shown, f"{columns} × {rows}: {found} entities are on the screen")


def resizing_keeps_the_line_being_typed(host):
    terminal = host.start()
    terminal.type("mo")
    typed = "mo"
    # In 20 columns the line wraps to a second row.
    for columns, more in ((40, "d"), (20, "ul"), (100, "e"), (80, "s")):
        terminal.resize(columns)
        terminal.type(more)
        typed += more
        terminal.expect_last_line(f"{GUEST} {typed}")
        terminal.expect("".join(terminal.lines()).count(GUEST) == 1, "the prompt is shown twice")
    terminal.press("Enter")
    terminal.expect_text("UserProfile  1.0.0    active  local")


# Leaving

def ctrl_d_leaves(host):
    terminal = host.start()
    sign_up(terminal)
    terminal.expect_last_line(f"local {EMAIL} home>")
    terminal.press("C-d")
    terminal.expect_end(0)


def exit_leaves(host):
    terminal = host.start()
    terminal.type("exit")
    terminal.press("Enter")
    terminal.expect_end(0)


def end_by_a_signal_restores_the_terminal(host):
    terminal = host.start()
    terminal.type("where")
    terminal.expect_last_line(f"{GUEST} where")
    os.kill(terminal.pid(), signal.SIGTERM)
    terminal.expect_end(128 + signal.SIGTERM)


def end_by_a_signal_at_a_secret_restores_the_terminal(host):
    terminal = host.start()
    terminal.type(f"session sign-up --email {EMAIL}")
    terminal.press("Enter")
    terminal.expect_last_line("password:")
    os.kill(terminal.pid(), signal.SIGTERM)
    terminal.expect_end(128 + signal.SIGTERM)


# Colours

SAID = ["Note: Nobody is signed in.", "error: There is no command, action or link 'sesion'."]


def colours_accompany_words(host):
    terminal = host.start()
    run(terminal, "session", SAID[0])
    run(terminal, "sesion", SAID[1])
    terminal.expect(terminal.colours(), "nothing is coloured")


def no_color_takes_the_colours_and_leaves_the_words(host):
    terminal = host.start(variables=["NO_COLOR=1"])
    run(terminal, "session", SAID[0])
    run(terminal, "sesion", SAID[1])
    terminal.expect(not terminal.colours(), f"colours: {terminal.colours()}")


# Transcripts

def what_was_recorded_plays_again(host):
    terminal, play = host.record()
    terminal.expect_last_line(GUEST)
    terminal.expect_text("What you type here is recorded.")
    sign_up(terminal)
    signed_in = f"local {EMAIL} home>"
    run(terminal, "entities create --name Lamp", "Created 'Lamp'.", prompt=signed_in)
    run(terminal, "entities list | wc -l", prompt=signed_in)
    run(terminal, "entities delete-all", prompt=signed_in, then=f"local {EMAIL} alert>")
    run(terminal, "no", "Nothing was done.", prompt=f"local {EMAIL} alert>", then=signed_in)
    terminal.press("C-d")
    terminal.expect_text("lines are in")
    terminal.expect_end(0)
    recorded = (host.folder / "recorded.transcript").read_text()
    terminal.expect(SECRET not in recorded, f"the secret was written:\n{recorded}")
    terminal.expect("secret> <secret-1>\n" in recorded, f"the secret has no name:\n{recorded}")
    terminal.expect("<now>" in recorded, f"times are written:\n{recorded}")
    again = host.tmux.start(play)
    again.expect_text("1 passed")
    again.expect_end(0)


def an_end_by_a_signal_keeps_what_was_recorded(host):
    terminal, play = host.record()
    terminal.expect_last_line(GUEST)
    run(terminal, "where", "Link         home")
    os.kill(terminal.pid(), signal.SIGTERM)
    terminal.expect_end(143)
    terminal.expect("main> where" in (host.folder / "recorded.transcript").read_text(), "nothing was written")


def ctrl_c_ends_what_plays(host):
    terminal, play = host.record("--replace")
    terminal.expect_last_line(GUEST)
    terminal.press("C-d")
    terminal.expect_end(0)
    (host.folder / "recorded.transcript").write_text("main> where\n\n$ sleep 600\n")
    again = host.tmux.start(play)
    again.until("the host", lambda: children(again.pid()))
    started = children(again.pid())
    again.press("C-c")
    again.expect_text("Cancelled.")
    again.expect_end(130)
    again.expect(not any(os.path.exists(f"/proc/{child}") for child in started), "a program was left behind")


def a_play_waits_for_enter_and_runs_lines_in_between(host):
    terminal = host.play("main> entities create --name Lamp > /dev/null\n\n$ echo 'of the file'\nof the file\n")
    terminal.expect_last_line(GUEST)
    run(terminal, "entities create --name Mine", "Created 'Mine'.")
    terminal.press("Enter")
    terminal.expect_text("entities create --name Lamp > /dev/null")
    terminal.expect_last_line("$")
    terminal.type("echo mine")
    terminal.press("Enter")
    terminal.expect_text("mine")
    terminal.expect_last_line("$")
    terminal.press("Enter")
    terminal.expect_text("of the file")
    terminal.expect_end(0)
    terminal.expect(terminal.shows_cursor(), "the cursor is hidden")


def ctrl_c_ends_a_play_at_each_moment(host):
    for number, moment in enumerate(["the prompt", "typing", "a line"]):
        runs = host.folder / f"runs-{number}"
        terminal = host.play(f"main> where > /dev/null\n\n$ touch {runs}; sleep 600\n")
        terminal.expect_last_line(GUEST)
        started = children(terminal.pid())
        if moment != "the prompt":
            terminal.press("Enter")
            terminal.expect_last_line("$")
            terminal.press("Enter")
            terminal.expect_text("$ to")
        if moment == "a line":
            terminal.until("the line", runs.exists)
        terminal.press("C-c")
        terminal.expect_end(130)
        terminal.expect(terminal.shows_cursor(), f"the cursor is hidden after Ctrl-C at {moment}")
        left = [child for child in started if os.path.exists(f"/proc/{child}")]
        terminal.expect(not left, f"a program was left behind after Ctrl-C at {moment}")


def children(process):
    # Each thread has its own.
    return [child for path in pathlib.Path(f"/proc/{process}/task").glob("*/children")
            for child in path.read_text().split()]


STEPS = [
    prompt_shows_environment_person_and_place, prompt_shows_the_other_environment,
    tab_completes_a_command, tab_lists_commands, tab_completes_a_link, tab_completes_an_action_of_a_link,
    tab_completes_an_action_of_the_screen, tab_completes_an_argument_name, tab_completes_a_choice,
    tab_completes_swift_code, tab_completes_a_link_to_open,
    history_recalls_the_last_lines, history_is_there_in_a_second_run,
    the_beginning_of_a_line_finds_those_that_begin_so,
    the_line_can_be_edited_in_the_editor, an_editor_that_fails_leaves_the_line, long_results_are_shown_in_the_pager,
    three_terminals_come_back_after_a_kill,
    three_terminals_come_back_after_a_restart,
    secret_is_asked_for_without_echo, secret_typed_plainly_is_not_kept,
    secret_in_no_form_is_kept_or_repeated, secret_is_dropped_by_ctrl_c,
    ctrl_c_at_the_prompt_drops_the_line, ctrl_c_cancels_a_slow_command, typing_ahead_is_kept,
    typing_ahead_leaves_the_progress_line,
    ctrl_c_right_behind_enter_cancels,
    pasted_lines_all_run, a_pasted_line_has_a_bound, a_typed_secret_has_a_bound, tables_fit_the_width,
    lists_fit_a_small_terminal, resizing_keeps_the_line_being_typed,
    ctrl_d_leaves, exit_leaves,
    end_by_a_signal_restores_the_terminal, end_by_a_signal_at_a_secret_restores_the_terminal,
    what_was_recorded_plays_again, an_end_by_a_signal_keeps_what_was_recorded, ctrl_c_ends_what_plays,
    a_play_waits_for_enter_and_runs_lines_in_between, ctrl_c_ends_a_play_at_each_moment,
    colours_accompany_words, no_color_takes_the_colours_and_leaves_the_words,
]

if __name__ == "__main__":
    main(__doc__, STEPS, Host)
