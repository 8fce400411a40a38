#!/usr/bin/env python3
"""Crashes, updates and watches modules at the prompt of the built host, in a real terminal (tmux).

    Tests/Terminal/lifecycle.py [--host FILE] [--modules DIR] [--fixture PROGRAM] [STEP …]

PROGRAM builds a module of Tests/Fixtures/Modules: `PROGRAM NAME FOLDER`. Prints each step, and how long the
prompt took to come back after each crash; for a step that fails what was missing and what the screen showed.
Exits 1 if one failed.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from host import EMAIL, GUEST, MODULES, Host, run, sign_up  # noqa: E402: must follow the line above
from steps import FIXTURE, main  # noqa: E402

HARMFUL = "HarmsTheHost"
CRASH = "while 'traps-in-action go' ran."


class LifeCycle(Host):
    """The built host with fixture modules besides its own."""

    fixture = FIXTURE

    def build(self, name, module):
        """Copies the library of a fixture to where a build would install it; returns its path."""
        built = self.folder / "built" / name
        subprocess.run([self.fixture, name, built], check=True, stdin=subprocess.DEVNULL)
        libraries = self.folder / "lib"
        libraries.mkdir(exist_ok=True)
        unfinished = libraries / f".{module}"
        shutil.copyfile(built / f"lib{module}.so", unfinished)
        return unfinished.rename(libraries / f"lib{module}.so")

    def add(self, terminal, name, module, prompt=GUEST):
        """Adds a module with a short command, whatever the length of the folder's name."""
        self.build(name, module)
        link = terminal.folder / f"{module}.so"
        link.symlink_to(self.folder / "lib" / f"lib{module}.so")
        run(terminal, f"module add {module}.so", f"Loaded {module} ", prompt=prompt)

    def start_harmed(self, harm, *options):
        """Starts the host with a module that does a harm of the fixture `harms-the-host`, `STEP-FAULT`."""
        library = self.folder / "lib" / "libHarmsTheHost.so"
        if not library.exists():
            self.build("harms-the-host", "HarmsTheHost")
        configuration = self.folder / "modules.json"
        configuration.write_text(json.dumps(
            {"searchPaths": [str(self.modules)],
             "modules": [*MODULES, {"name": HARMFUL, "path": str(library)}]}))
        return self.tmux.start([
            "env", f"HARM={harm}", self.executable, "--step-timeout", "1", "--data", self.data,
            "--config", configuration, *options])


def clear(terminal, prompt):
    """Clears the screen, so that later output is new."""
    terminal.press("C-l")
    terminal.until("an empty screen", lambda: terminal.lines("-J") == [prompt])


def crash(terminal, line, prompt, then=None):
    """Enters a line that ends the host; waits for the next prompt and prints the time until then."""
    terminal.type(line)
    terminal.expect_last_line(f"{prompt} {line}")
    begin = time.monotonic()
    terminal.press("Enter")
    terminal.expect_last_line(then or prompt)
    print(f"   prompt {(time.monotonic() - begin) * 1000:.0f} ms after '{line}'", flush=True)


def expect_sentence(terminal, *words):
    """Waits for a message that contains all of these words, however it is wrapped."""

    def is_there():
        text = " ".join(" ".join(terminal.lines("-J", "-S", "-")).split())
        return all(word in text for word in words)
    terminal.until(" … ".join(words), is_there)


def children(process):
    """The child processes of a process."""
    return pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()


def kill(terminal):
    """Kills the host's process below its supervisor; returns its id."""
    [process] = children(terminal.pid())
    os.kill(int(process), signal.SIGKILL)
    return process


# Crashes

def crash_leads_back_to_the_prompt(host):
    terminal = host.start()
    host.add(terminal, "counter-1", "Counter")
    host.add(terminal, "traps-in-action", "TrapsInAction")
    sign_up(terminal)
    home, there = f"local {EMAIL} home>", f"local {EMAIL} counter>"
    terminal.expect_last_line(home)
    elsewhere = f"local {EMAIL} entities>"
    run(terminal, "open entities", "Add your first entity", prompt=home, then=elsewhere)
    run(terminal, "open counter", "Counter", prompt=elsewhere, then=there)
    run(terminal, "step 5", "Step     5", prompt=there)
    clear(terminal, there)

    crash(terminal, "traps-in-action go", there)

    expect_sentence(terminal, "Module 'TrapsInAction'", "SIG", "StartView.actions", CRASH)
    terminal.expect(not terminal.is_gathering_lines(), "the terminal is not in editing mode after a crash")
    clear(terminal, there)
    run(terminal, "increment", "Count    5", "Step     5", prompt=there)
    run(terminal, "modules", "Counter        1.0.0    active", "TrapsInAction  1.0.0    active", prompt=there)
    run(terminal, "where", f"Person       {EMAIL}", "Link         counter", prompt=there)
    terminal.press("Up", "Up", "Up")
    terminal.expect_last_line(f"{there} increment")
    terminal.press("Up")
    terminal.expect_last_line(f"{there} traps-in-action go")
    terminal.press("C-c")
    terminal.expect_last_line(there)
    run(terminal, "back", "Add your first entity", prompt=there, then=elsewhere)
    terminal.press("C-d")
    terminal.expect_end(0)


def second_crash_quarantines_until_released(host):
    terminal = host.start()
    host.add(terminal, "traps-in-action", "TrapsInAction")
    clear(terminal, GUEST)
    crash(terminal, "traps-in-action go", GUEST)
    expect_sentence(terminal, CRASH)
    clear(terminal, GUEST)
    crash(terminal, "traps-in-action go", GUEST)

    expect_sentence(terminal, "it crashed twice within", "module start TrapsInAction")
    clear(terminal, GUEST)
    run(terminal, "modules", "TrapsInAction  1.0.0    quarantined", "Entities       1.0.0    active")
    clear(terminal, GUEST)
    run(terminal, "traps-in-action go", "error: Module 'TrapsInAction' is not active")
    run(terminal, "entities", "Add your first entity")
    clear(terminal, GUEST)
    run(terminal, "module start TrapsInAction", "Loaded TrapsInAction 1.0.0.")
    run(terminal, "traps-in-action", "Traps in its action")
    terminal.press("C-d")
    terminal.expect_end(0)


def kill_leads_back_to_the_prompt(host):
    terminal = host.start()
    sign_up(terminal)
    home, there = f"local {EMAIL} home>", f"local {EMAIL} entities>"
    run(terminal, "open entities", prompt=home, then=there)
    clear(terminal, there)

    begin = time.monotonic()
    process = kill(terminal)
    terminal.expect_text("warning: The host was ended from outside by SIGKILL.")
    terminal.expect_last_line(there)

    print(f"   prompt {(time.monotonic() - begin) * 1000:.0f} ms after kill -9", flush=True)
    terminal.expect(process not in children(terminal.pid()), "the process was not replaced")
    run(terminal, "where", f"Person       {EMAIL}", "Link         entities", prompt=there)
    terminal.press("C-d")
    terminal.expect_end(0)


def exit_of_a_module_leads_back_to_the_prompt(host):
    terminal = host.start()
    host.add(terminal, "exits-in-action", "ExitsInAction")
    run(terminal, "open entities", then="local guest entities>")
    clear(terminal, "local guest entities>")

    crash(terminal, "exits-in-action go", "local guest entities>")

    expect_sentence(terminal, "Module 'ExitsInAction'", "exit(0)", "while 'exits-in-action go' ran.")
    terminal.press("C-d")
    terminal.expect_end(0)


def crashes_again_and_again_end_it(host):
    terminal = host.start()
    for _ in range(5):
        clear(terminal, GUEST)
        kill(terminal)
        terminal.expect_text("warning: The host was ended from outside by SIGKILL.")
        terminal.expect_last_line(GUEST)
    clear(terminal, GUEST)
    kill(terminal)
    terminal.expect_end(128 + signal.SIGKILL)
    expect_sentence(terminal, "error: The host crashed 6 times in half a minute", "it is not started again.")


# Starts that a module breaks

def leads_to_a_prompt(host, harm, *words, starts=1):
    """Starts the host until it has a prompt; then the module is named, and the next start is clean."""
    for _ in range(starts - 1):
        terminal = host.start_harmed(harm)
        terminal.until("the program's end", lambda: terminal.last_line().startswith("left with"))
    terminal = host.start_harmed(harm)
    terminal.expect_last_line(GUEST)
    expect_sentence(terminal, f"Module '{HARMFUL}'", *words, f"module start {HARMFUL}")
    clear(terminal, GUEST)
    run(terminal, "modules", f"{HARMFUL}  1.0.0    quarantined", "Entities      1.0.0    active")
    run(terminal, "events", "quarantined", HARMFUL)
    terminal.press("C-d")
    terminal.expect_end(0)
    terminal = host.start_harmed("none")
    terminal.expect_last_line(GUEST)
    run(terminal, f"module start {HARMFUL}", f"Loaded {HARMFUL} 1.0.0.")
    terminal.press("C-d")
    terminal.expect_end(0)
    starts_clean(host)


def starts_clean(host):
    """Starts the host once more, without a word on the module."""
    terminal = host.start_harmed("none")
    terminal.expect_last_line(GUEST)
    text = "\n".join(terminal.lines("-J"))
    terminal.expect(not any(word in text for word in ("warning:", "error:", HARMFUL)), "the start warns")
    run(terminal, "modules", f"{HARMFUL}  1.0.0    active")
    terminal.press("C-d")
    terminal.expect_end(0)


def module_that_spins_is_left_out(host):
    leads_to_a_prompt(host, "register-spin", "did not finish within 1 s while it registered")


def module_that_spins_in_restore_is_left_out(host):
    # The state is saved when a host ends.
    terminal = host.start_harmed("none")
    terminal.expect_last_line(GUEST)
    terminal.press("C-d")
    terminal.expect_end(0)
    leads_to_a_prompt(host, "restore-spin", "did not finish within 1 s while its state was restored")


def module_that_reads_is_left_out(host):
    leads_to_a_prompt(host, "open-read", "did not finish within 1 s while it was opened")


def module_that_quits_is_left_out(host):
    leads_to_a_prompt(host, "open-quit", "2 starts in a row ended while it was opened")


def module_that_kills_the_supervisor_is_left_out(host):
    leads_to_a_prompt(host, "register-kill-parent", "2 starts in a row ended while it registered", starts=3)


def copy_of_the_host_is_ended(host):
    terminal = host.start_harmed("open-fork")
    # The copy says so, when it has its turn: before the prompt, or behind it.
    expect_sentence(terminal, f"Module '{HARMFUL}' copied the host's process with fork() while it was opened")
    terminal.press("Enter")
    terminal.expect_last_line(GUEST)
    run(terminal, "where", "Person       guest")
    terminal.press("C-d")
    terminal.expect_end(0)
    leads_to_a_prompt(host, "open-fork", "copied the host's process")


def closed_descriptors_are_put_back(host):
    terminal = host.start_harmed("register-close")
    terminal.expect_last_line(GUEST)
    expect_sentence(
        terminal, f"Module '{HARMFUL}' changed the process while it was loaded: standard input was closed")
    run(terminal, "where", "Person       guest")
    terminal.press("C-d")
    terminal.expect_end(0)
    starts_clean(host)


def ends_without_a_prompt(host, harm):
    """Leaves a host whose module crashes then: nobody gets it back, and the next start tells of it."""
    terminal = host.start_harmed(harm)
    terminal.expect_last_line(GUEST)
    terminal.press("C-d")
    terminal.until("the program's end", lambda: terminal.last_line().startswith("left with"))
    terminal.expect(terminal.last_line() != "left with 0", "the crash is not in the status")
    prompts = [line for line in terminal.lines("-J") if line.startswith(GUEST)]
    terminal.expect(len(prompts) == 1, "the program has started again")
    terminal = host.start_harmed("none")
    terminal.expect_last_line(GUEST)
    expect_sentence(terminal, f"Module '{HARMFUL}' (generation 1) crashed")
    terminal.press("C-d")
    terminal.expect_end(0)


def crash_at_the_exit_brings_no_prompt(host):
    ends_without_a_prompt(host, "exit-trap")


def crash_while_stopping_brings_no_prompt(host):
    ends_without_a_prompt(host, "deactivate-trap")


def busy_module_is_named(host):
    for harm, line, step in [
            ("action-spin", "harms-the-host go", ""), ("body-spin", "harms-the-host", ""),
            ("check-spin", "health", ""), ("deactivate-spin", f"module remove {HARMFUL}", " while it was stopped"),
            ("snapshot-spin", f"module remove {HARMFUL}", " while its state was saved")]:
        is_named_when_busy(host, harm, line, f"has kept the host busy for 1 s{step}.")


def is_named_when_busy(host, harm, line, words):
    """Runs a command that never ends; the module is named, and Ctrl-C twice leads back to the prompt."""
    shutil.rmtree(host.data, ignore_errors=True)
    terminal = host.start_harmed(harm)
    terminal.expect_last_line(GUEST)
    clear(terminal, GUEST)
    terminal.type(line)
    terminal.press("Enter")
    expect_sentence(terminal, f"Module '{HARMFUL}' {words}")
    terminal.press("C-c")
    terminal.expect_text("The command ignores Ctrl-C; another restarts the host.")
    terminal.press("C-c")
    expect_sentence(terminal, "did not respond and was stopped", f"while '{line}' ran")
    terminal.expect_last_line(GUEST)
    events = [json.loads(event) for event in (host.data / "events.jsonl").read_text().splitlines()]
    named = [event for event in events if event["kind"] == "unresponsive"]
    terminal.expect(
        [(event["module"], event["detail"]) for event in named] == [(HARMFUL, f"It {words}")],
        f"the journal has {named}")
    # What it does at its end may be the same again.
    kill_all(terminal)


def busy_list_of_actions_is_named(host):
    """Presses Ctrl-C where a module is busy without a command: while a line is completed, or before it is kept."""
    for key in ["Tab", "Enter"]:
        shutil.rmtree(host.data, ignore_errors=True)
        terminal = host.start_harmed("actions-spin")
        terminal.expect_last_line(GUEST)
        clear(terminal, GUEST)
        terminal.type("harms-the-host ")
        terminal.press(key)
        expect_sentence(terminal, f"Module '{HARMFUL}' has kept the host busy for 1 s.")
        terminal.press("C-c")
        expect_sentence(terminal, f"Module '{HARMFUL}' (generation 1) did not respond and was stopped")
        terminal.expect_last_line(GUEST)
        kill_all(terminal)


def kill_all(terminal):
    """Kills the supervisor, then the host's process."""
    supervisor = terminal.pid()
    processes = children(supervisor)
    for process in [supervisor, *map(int, processes)]:
        os.kill(process, signal.SIGKILL)
    terminal.expect_last_line(f"left with {128 + signal.SIGKILL}")


def safe_start_loads_what_is_asked(host):
    terminal = host.start_harmed("register-spin", "--safe")
    terminal.expect_last_line(GUEST)
    run(terminal, "modules", f"{HARMFUL}  -        stopped", "Left out of this start: Session, ")
    run(terminal, "module start Entities", "Loaded Entities 1.0.0.")
    run(terminal, "entities", "Add your first entity")
    terminal.press("C-d")
    terminal.expect_end(0)


# Watching

def watch_updates_above_the_line_being_typed(host):
    terminal = host.start()
    there = "local guest counter>"
    host.add(terminal, "counter-1", "Counter")
    run(terminal, "open counter", "Version  1.0.0", then=there)
    run(terminal, "step 3", "Step     3", prompt=there)
    run(terminal, "increment", "Count    3", prompt=there)
    run(terminal, "module update --watch on", "Watching  yes", prompt=there)
    clear(terminal, there)
    terminal.type("incre")
    terminal.expect_last_line(f"{there} incre")

    host.build("counter-2", "Counter")

    terminal.expect_text("updated Counter 1.0.0 → 1.1.0, generation 2")
    terminal.expect_last_line(f"{there} incre")
    beginnings = [line for line in terminal.lines("-J") if not line.startswith("  ")]
    terminal.expect(len(beginnings) == 2, "there is not exactly one announcement above the prompt")
    terminal.type("ment")
    terminal.press("Enter")
    terminal.expect_text("Version  1.1.0", "Count    6", "Highest  6", "Step     3")
    terminal.expect_last_line(there)


def watch_tells_what_it_can_not_take(host):
    terminal = host.start()
    there = "local guest counter>"
    host.add(terminal, "counter-1", "Counter")
    run(terminal, "open counter", "Version  1.0.0", then=there)
    run(terminal, "increment", "Count    1", prompt=there)
    run(terminal, "module update --watch on", "Watching  yes", prompt=there)
    clear(terminal, there)
    terminal.type("incre")
    terminal.expect_last_line(f"{there} incre")

    host.build("throws-in-restore", "Counter")

    expect_sentence(terminal, "Counter is not updated", "The fixture throws in restore.")
    terminal.expect_last_line(f"{there} incre")
    terminal.type("ment")
    terminal.press("Enter")
    terminal.expect_text("Version  1.0.0", "Count    2")
    terminal.expect_last_line(there)
    run(terminal, "module update --watch off", "Watching  no", prompt=there)


STEPS = [
    crash_leads_back_to_the_prompt, second_crash_quarantines_until_released, kill_leads_back_to_the_prompt,
    exit_of_a_module_leads_back_to_the_prompt, crashes_again_and_again_end_it,
    module_that_spins_is_left_out, module_that_spins_in_restore_is_left_out, module_that_reads_is_left_out, module_that_quits_is_left_out,
    module_that_kills_the_supervisor_is_left_out, copy_of_the_host_is_ended, closed_descriptors_are_put_back,
    crash_at_the_exit_brings_no_prompt, crash_while_stopping_brings_no_prompt, busy_module_is_named,
    busy_list_of_actions_is_named, safe_start_loads_what_is_asked,
    watch_updates_above_the_line_being_typed, watch_tells_what_it_can_not_take,
]

if __name__ == "__main__":
    main(__doc__, STEPS, LifeCycle)
