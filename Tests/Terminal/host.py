"""The built host at the prompt of a terminal, and actions that several steps share."""

import json

MODULES = [{"name": name} for name in ("Session", "UserProfile", "Entities")]
EMAIL = "ada@example.com"
SECRET = "Wolke7-Zaunkönig"
GUEST = "local guest home>"
MOCK = "mock guest home>"


class Host:
    """Starts the built host with its data in the step's own folder."""

    def __init__(self, tmux, executable, modules, folder):
        self.tmux = tmux
        self.executable = executable
        self.modules = modules
        self.folder = folder
        self.data = folder / "data"
        self.history = self.data / "history"

    def start(self, prompt=GUEST, environment="local", modules=MODULES, variables=()):
        """`variables` are set for the host, each as NAME=VALUE."""
        configuration = self.folder / "modules.json"
        configuration.write_text(json.dumps(
            {"environment": environment, "searchPaths": [str(self.modules)], "modules": modules}))
        terminal = self.tmux.start(
            ["env", "PAGER=", *variables, self.executable, "--data", self.data, "--config", configuration])
        terminal.expect_last_line(prompt)
        terminal.expect(not terminal.is_gathering_lines(), "the terminal is not in editing mode at the prompt")
        return terminal

    def attach(self, *options, prompt=GUEST, variables=()):
        """Attaches to the host that runs."""
        terminal = self.tmux.start(
            ["env", "PAGER=", *variables, self.executable, "--data", self.data, "attach", *options])
        terminal.expect_last_line(prompt)
        return terminal

    def editor(self, script):
        """A program that changes the file it is given, as NAME=VALUE for the host."""
        path = self.folder / "my editor"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return f"EDITOR='{path}'"

    def record(self, *options):
        """Starts to record a transcript, and returns the terminal and the words that play what was recorded."""
        configuration = self.folder / "modules.json"
        configuration.write_text(json.dumps(
            {"environment": "local", "searchPaths": [str(self.modules)], "modules": MODULES}))
        common = ["--config", configuration, self.folder / "recorded.transcript"]
        terminal = self.tmux.start([self.executable, "record", *options, *common])
        return terminal, [self.executable, "test", *common]

    def play(self, text, *options):
        """Plays a transcript with this text, and returns the terminal."""
        configuration, file = self.folder / "modules.json", self.folder / "demo.transcript"
        configuration.write_text(json.dumps(
            {"environment": "local", "searchPaths": [str(self.modules)], "modules": MODULES}))
        file.write_text(text)
        return self.tmux.start([self.executable, "play", *options, "--config", configuration, file])

    def start_slow(self, delay):
        """Starts the host with entities whose service is slow; `delay` is in seconds."""
        slow = {"name": "Entities", "configuration": {"scenario": "slow", "delay": delay}}
        return self.start(MOCK, "mock", [slow])

    def history_lines(self):
        return self.history.read_text().splitlines() if self.history.exists() else []

    def files_with(self, text):
        files = [path for path in self.data.rglob("*") if path.is_file()]
        return [path.name for path in files if text.encode() in path.read_bytes()]


def run(terminal, line, *texts, prompt=GUEST, then=None):
    """Enters a line at the prompt, and waits for its output and for the prompt after it."""
    terminal.type(line)
    terminal.expect_last_line(f"{prompt} {line}")
    terminal.press("Enter")
    terminal.expect_text(*texts)
    terminal.expect_last_line(then or prompt)


def sign_up(terminal):
    terminal.type(f"session sign-up --email {EMAIL}")
    terminal.press("Enter")
    for prompt in ("password:", "password, again:"):
        terminal.expect_last_line(prompt)
        terminal.type(SECRET)
        terminal.press("Enter")
    terminal.expect_text(f"Signed up and signed in as {EMAIL}.")


def begin_slow_command(host, terminal, line):
    terminal.type(line)
    terminal.expect_last_line(f"{MOCK} {line}")
    terminal.press("Enter")
    terminal.until("a running command", lambda: line in host.history_lines())
    terminal.expect(terminal.is_gathering_lines(), "the terminal is in editing mode during a command")


def expect_cancelled(terminal, count):
    terminal.until(
        f"cancelled command {count}",
        lambda: sum("The command was cancelled." in line for line in terminal.lines("-S", "-")) == count)
    terminal.expect_last_line(MOCK)
