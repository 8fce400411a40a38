"""Runs programs in tmux terminals: sends keys and reads the screen."""

import os
import pathlib
import re
import shlex
import subprocess
import termios
import time

DEADLINE = 20
"""The timeout of every expectation, in seconds; the screen is polled every few milliseconds."""


class Failed(Exception):
    """An expectation was not met; `screen` is the screen at that moment."""

    def __init__(self, reason, screen=""):
        super().__init__(reason)
        self.screen = screen


class Tmux:
    """A tmux server with its own socket; leaving the `with` block ends it and all programs in it."""

    def __init__(self, folder):
        self.folder = folder
        self.sessions = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self("kill-server", check=False)
        # They end in order, and write into a folder that may be removed now.
        end = time.monotonic() + DEADLINE
        while self.has_programs() and time.monotonic() < end:
            time.sleep(0.01)

    def has_programs(self):
        """Whether a program runs that was started here, or was started by one."""
        mark = f"TMUX_TMPDIR={self.folder}".encode()
        for environment in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if mark in environment.read_bytes().split(b"\0"):
                    return True
            except OSError:
                pass
        return False

    def __call__(self, *command, check=True):
        environment = {**os.environ, "TMUX_TMPDIR": str(self.folder), "LC_ALL": "C.UTF-8"}
        for name in ("TMUX", "TMUX_PANE", "NO_COLOR", "XDG_STATE_HOME"):
            environment.pop(name, None)
        run = subprocess.run(
            ["tmux", "-u", "-L", f"atrium-{os.getpid()}", "-f", "/dev/null", *command],
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE)
        if check and run.returncode != 0:
            raise Failed(f"tmux {shlex.join(command)}: {run.stderr.strip()}")
        return run.stdout

    def start(self, program, columns=80, rows=50):
        """Starts a program (a list of words) in a terminal of its own."""
        self.sessions += 1
        return Terminal(self, f"terminal{self.sessions}", program, columns, rows)


class Terminal:
    """A terminal with one program in it.

    The terminal's mode is recorded before and after (`stty -a`). It differs from the default, so that a program
    that leaves the default mode is detected. All output to the terminal is recorded.
    """

    SCRIPT = """
        cd "$1"; shift
        trap : INT
        stty -ixon -echok -echoke; stty -a > before
        read -r go
        sh -c 'echo $$ > pid.new; mv pid.new pid; exec "$@"' sh "$@"
        status=$?
        stty -a > after
        printf 'left with %s\\n' "$status"
        read -r stay
        """

    def __init__(self, tmux, name, program, columns, rows):
        self.tmux = tmux
        self.name = name
        self.folder = tmux.folder / name
        self.folder.mkdir()
        script = ["sh", "-c", self.SCRIPT, "sh", str(self.folder), *map(str, program)]
        tmux("new-session", "-d", "-s", name, "-x", str(columns), "-y", str(rows), shlex.join(script))
        self.device = tmux("display-message", "-p", "-t", name, "#{pane_tty}").strip()
        tmux("pipe-pane", "-t", name, f"cat > {shlex.quote(str(self.folder / 'recording'))}")
        self.until("a terminal", lambda: (self.folder / "before").is_file())
        self.press("Enter")

    # Keys

    def type(self, text):
        self.tmux("send-keys", "-t", self.name, "-l", "--", text)

    def press(self, *keys):
        """Presses keys by their names: Enter, Tab, Up, C-c."""
        self.tmux("send-keys", "-t", self.name, *keys)

    def paste(self, text, bracketed=True):
        # From a file: an argument has a bound.
        (self.folder / "pasted").write_text(text)
        self.tmux("load-buffer", "-b", self.name, self.folder / "pasted")
        self.tmux("paste-buffer", "-d", "-b", self.name, "-t", self.name, *(["-p"] if bracketed else []))

    def resize(self, columns, rows=50):
        """Resizes the window; tmux informs the terminal up to a quarter of a second later."""
        self.tmux("resize-window", "-t", self.name, "-x", str(columns), "-y", str(rows))
        self.until(
            f"a terminal of {columns} columns", lambda: self.ask(os.get_terminal_size).columns == columns)

    # Screen

    def lines(self, *options):
        """The rows of the screen, without trailing spaces and without empty rows at the end.

        Option `-J` joins rows of one line, `-S -` adds the rows that have scrolled off the top.
        """
        text = self.tmux("capture-pane", "-p", "-t", self.name, *options)
        return [line.rstrip() for line in text.rstrip().split("\n")]

    def last_line(self):
        return self.lines("-J")[-1]

    def recording(self):
        """All output to the terminal, without cursor movements and colours."""
        text = (self.folder / "recording").read_text(errors="replace")
        return re.sub(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>])", "", text)

    def colours(self):
        """The sequences for colours and weights in the output so far."""
        text = (self.folder / "recording").read_text(errors="replace")
        return re.findall(r"\x1b\[[0-9;:]*m", text)

    def shows_cursor(self):
        return self.tmux("display-message", "-p", "-t", self.name, "#{cursor_flag}").strip() == "1"

    def is_gathering_lines(self):
        """Whether the terminal is in canonical mode, as while a command runs."""
        return bool(self.ask(termios.tcgetattr)[3] & termios.ICANON)

    def ask(self, question):
        """Calls a function with the terminal's descriptor and returns its result."""
        descriptor = os.open(self.device, os.O_RDONLY | os.O_NOCTTY)
        try:
            return question(descriptor)
        finally:
            os.close(descriptor)

    # Expectations

    def until(self, what, condition):
        """Polls until the condition holds."""
        end = time.monotonic() + DEADLINE
        while not condition():
            if time.monotonic() > end:
                raise self.failure(f"timed out waiting for {what}")
            time.sleep(0.01)

    def failure(self, reason):
        return Failed(reason, "\n".join(self.lines("-J", "-S", "-")))

    def expect(self, condition, reason):
        if not condition:
            raise self.failure(reason)

    def expect_text(self, *texts):
        for text in texts:
            self.until(repr(text), lambda: any(text in line for line in self.lines("-J")))

    def expect_last_line(self, line):
        """Waits until the last line, which has the prompt and the cursor, is exactly this."""
        self.until(f"the last line {line!r}", lambda: self.last_line() == line)

    # The program

    def pid(self):
        self.until("the program's process", lambda: (self.folder / "pid").is_file())
        return int((self.folder / "pid").read_text())

    def expect_end(self, status):
        """Waits for the program's end; checks its exit status and that it restored the terminal's mode."""
        self.until("the program's end", lambda: self.last_line().startswith("left with"))
        self.expect(self.last_line() == f"left with {status}", f"the exit status is not {status}")
        before, after = ((self.folder / name).read_text() for name in ("before", "after"))
        self.expect(before == after, f"the terminal's mode was not restored:\n{before}after:\n{after}")
