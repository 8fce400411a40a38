#!/usr/bin/env python3
"""Types the shell lines of the documents into the built host and compares the output: sessions.py [PAGE …].

A block whose language is `console` is typed. In it a line that starts with `$ ` is a command of bash, which lines
with `> ` continue, or `>` alone; a line like `local guest home> entities` is typed at a prompt, in a terminal. The host there
ends at the next `$ ` line with `atrium`. What follows a line is the expected output: `…` matches any text in a
line, and any lines on one of its own; a time near the present, and a number before `µs` or `ms`, match any other; a
change of a watched screen (`->`) may come earlier or later. A page has one folder, with the project's Examples,
and one data folder, from its first line to its last.

A block whose language is `diff` is an edit: `--- FILE` in its first line, then lines of that file, of which those with
`-` are replaced by those with `+`. `@@` between them begins another place. The lines must be in the file once.

A comment before a block prepares it and is not shown: `<!-- setup: COMMAND -->`. A block with a prompt that is not
typed gives a reason: `<!-- not typed: REASON -->`. Any other block with a prompt is a fault.

With ATRIUM_REWRITE_DOCUMENTS=1 what was printed is written into the pages. Prints a line for each difference and
exits with 1 if there is one.
"""
import concurrent.futures
import datetime
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / ".build/release"
PAGES = ["*.md", "Docs/*.md", "Docs/decisions/*.md", "Demos/*/*.md", "Tests/*.md", "Examples/*/*.md"]
TIME_LIMIT = 120
"""How long a command may take and a prompt may stay away, in seconds."""
COLUMNS, ROWS = 100, 24
SECRET = "correct horse 9"
PROMPT = re.compile(r"(?:mock|local|live) \S+ [\w/:?&=-]+> ")
MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d UTC|T\d\d:\d\d:\d\dZ)")
PRELUDE = """\
atrium() {
    local options=()
    [[ $* == *--data* ]] || options+=(--data "$DATA")
    [[ $* == *--config* ]] || options+=(--config "$( [[ -e modules.json ]] && echo modules.json || echo "$ROOT/modules.json" )")
    # In the background it is the host itself, so that '$!' is its process.
    [[ $1 != serve ]] || exec "$ATRIUM" "${options[@]}" "$@"
    "$ATRIUM" "${options[@]}" "$@"
}
fixture() { "$ROOT/Tests/Transcripts/fixture" "$@"; }
"""


class Step:
    """A line that is typed, with what continues it, and the output below it; or an edit of a file."""

    def __init__(self, kind, line, number):
        self.kind, self.number = kind, number
        self.typed = [line]
        self.expected = []
        self.printed = None

    @property
    def blanks(self):
        """Empty lines at the end, which separate steps for the reader."""
        return len(self.expected) - len(trimmed(self.expected))


def trimmed(lines):
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


class Document:
    """A page: its lines, among them steps."""

    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(ROOT))
        self.parts, self.faults = [], []
        block, reason = None, None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            fence = re.match(r"```(\w*)$", line)
            if block is None:
                comment = re.match(r"<!-- (setup|not typed): (.*) -->$", line)
                if comment and comment[1] == "setup":
                    self.parts.append(Step("setup", comment[2], number))
                self.parts.append(line)
                if fence:
                    block = fence[1]
                elif line:
                    reason = comment and comment[1] == "not typed"
            elif line == "```":
                self.parts.append(line)
                block, reason = None, None
            elif block == "diff":
                self.edit(line, number)
            elif block != "console":
                if (line.startswith("$ ") or PROMPT.match(line)) and not reason and block in ("", "text", "sh", "bash"):
                    self.faults.append(f"{self.name}:{number}: the block has a prompt, but is not a `console` block")
                self.parts.append(line)
            else:
                self.take(line, number)

    def take(self, line, number):
        last = self.parts[-1]
        prompt = PROMPT.match(line)
        if line.startswith("$ "):
            self.parts.append(Step("bash", line, number))
        elif prompt:
            self.parts.append(Step("prompt", line, number))
        elif not isinstance(last, Step):
            self.faults.append(f"{self.name}:{number}: output without a command")
            self.parts.append(line)
        elif (line == ">" or line.startswith("> ")) and last.kind == "bash" and not last.expected:
            last.typed.append(line)
        else:
            last.expected.append(line)

    def edit(self, line, number):
        last = self.parts[-1]
        if line.startswith("--- "):
            self.parts.append(Step("edit", line, number))
        elif isinstance(last, Step) and last.kind == "edit":
            last.typed.append(line)
        else:
            self.faults.append(f"{self.name}:{number}: an edit without a file")
            self.parts.append(line)

    @property
    def steps(self):
        return [part for part in self.parts if isinstance(part, Step)]

    def play(self):
        """Types everything; returns a line for each difference."""
        with tempfile.TemporaryDirectory(prefix="atrium-document-", dir="/tmp") as folder:
            site = Site(pathlib.Path(folder).resolve())
            prompt = None
            try:
                for part in self.steps:
                    try:
                        if part.kind == "prompt":
                            prompt = prompt or Terminal(site)
                            shown = PROMPT.match(part.typed[0])[0]
                            actual, part.printed = prompt.type(part.typed[0][len(shown):])
                            part.typed = [actual + part.typed[0][len(shown):]]
                            if actual != shown:
                                self.faults.append(f"{self.name}:{part.number}: the prompt is '{actual}'")
                        elif part.kind == "edit":
                            self.faults += [f"{self.name}:{part.number}: {line}" for line in site.edit(part.typed)]
                        else:
                            if prompt and re.search(r"\batrium\b", part.typed[0]):
                                prompt = prompt.end()
                            part.printed = site.run(part.typed if part.kind == "bash" else ["$ " + part.typed[0]])
                            if part.kind == "setup" and site.status:
                                self.faults += [f"{self.name}:{part.number}: {line}" for line in part.printed]
                    except (subprocess.TimeoutExpired, TimeoutError) as error:
                        self.faults.append(f"{self.name}:{part.number}: no answer to {part.typed[0]}: {error}")
                        break
            finally:
                if prompt:
                    prompt.end()
        for step in self.steps:
            if step.kind != "setup" and step.printed is not None and not agree(step.printed, trimmed(step.expected)):
                self.faults.append(f"{self.name}:{step.number}: {step.typed[0]}")
                self.faults += [f"    printed  {line}" for line in step.printed]
                self.faults += [f"    expected {line}" for line in trimmed(step.expected)]
        return self.faults

    def rewrite(self):
        lines = []
        for part in self.parts:
            if not isinstance(part, Step):
                lines.append(part)
            elif part.kind != "setup":
                same = part.printed is None or agree(part.printed, trimmed(part.expected))
                lines += part.typed + (part.expected if same else part.printed + [""] * part.blanks)
        self.path.write_text("\n".join(lines) + "\n")


class Site:
    """The folder that a page's commands work in."""

    def __init__(self, folder):
        self.folder = folder / "home"
        self.folder.mkdir()
        for name in ["Examples", "Plugins", "Tests"]:
            (self.folder / name).symlink_to(ROOT / name)
        self.environment = {
            **os.environ, "HOME": str(self.folder), "DATA": str(folder / "data"), "ROOT": str(ROOT), "NO_COLOR": "1",
            "ATRIUM": str(RELEASE / "atrium"), "BUILD": str(RELEASE), "LC_ALL": "C.UTF-8", "TERM": "dumb",
            "XDG_STATE_HOME": "", "ATRIUM_SECRET": SECRET}
        self.status = 0

    def run(self, typed):
        script = PRELUDE + "\n".join(line[2:] for line in typed)
        run = subprocess.run(["/bin/bash", "-c", script], cwd=self.folder, env=self.environment, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=TIME_LIMIT)
        self.status = run.returncode
        return self.shown(run.stdout)

    def edit(self, typed):
        """Changes a file as a `diff` block says; returns what is wrong with the block."""
        name = typed[0].removeprefix("--- ")
        path = (self.folder / name).resolve()
        if self.folder not in path.parents or not path.is_file():
            return [f"there is no file '{name}' to edit"]
        text, problems = "\n" + path.read_text(), []
        for place in "\n".join(typed[1:]).split("\n@@\n"):
            lines = place.split("\n")
            former, new = ("".join("\n" + line[1:] for line in lines if line[:1] != mark) for mark in "+-")
            if former.strip() and (text + "\n").count(former + "\n") == 1:
                text = (text + "\n").replace(former + "\n", new + "\n").removesuffix("\n")
            else:
                problems.append(f"'{name}' does not have these lines once: {lines[0]}")
        path.write_text(text.removeprefix("\n"))
        return problems

    def shown(self, text):
        """The lines as the page has them, with the folders of somebody else."""
        for path, name in [(self.folder, "/home/ada"), (self.environment["DATA"], "/home/ada/.local/state/atrium"),
                           (RELEASE.resolve(), "/usr/local/lib/atrium/modules"),
                           (RELEASE, "/usr/local/lib/atrium/modules"), (ROOT, "/home/ada/atrium")]:
            text = renamed(text, str(path), name)
        return trimmed(text.split("\n"))


def renamed(text, path, name):
    """Replaces a path, of which a table or a notice may have begun a new line at a space."""
    return re.sub(r"(?: |\n +)".join(map(re.escape, path.split(" "))), lambda _: name, text)


class Terminal:
    """A host at a terminal of its own."""

    def __init__(self, site):
        self.site = site
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(site.folder)
            own = site.folder / "modules.json"
            options = ["--data", site.environment["DATA"],
                       "--config", str(own if own.exists() else ROOT / "modules.json")]
            os.execve(RELEASE / "atrium", ["atrium", *options], site.environment)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.prompt = self.read()[0]

    def read(self):
        """Reads to the next prompt; answers questions for a secret. Returns the prompt and the lines before it."""
        text, answered = "", ""
        while True:
            plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]", "", text)
            # A terminal without sequences: what is drawn after a return replaces the row.
            plain = re.sub(r"[^\n]*\r", "", re.sub(r"\r+\n", "\n", plain))
            line = plain.rpartition("\n")[2]
            # A prompt that is being drawn is followed by its rest at once.
            if PROMPT.fullmatch(line) and not select.select([self.descriptor], [], [], 0.05)[0]:
                return line, plain[:len(plain) - len(line)]
            if re.fullmatch(r"[\w, ]+: ?", line) and answered != plain:
                os.write(self.descriptor, SECRET.encode() + b"\n")
                answered = plain
            if not select.select([self.descriptor], [], [], TIME_LIMIT)[0]:
                raise TimeoutError(repr(plain))
            try:
                piece = os.read(self.descriptor, 65536)
            except OSError:
                piece = b""
            if not piece:
                return "", plain
            text += piece.decode(errors="replace")

    def type(self, line):
        """Types a line; returns the prompt that it was typed at and what was printed."""
        shown = self.prompt
        os.write(self.descriptor, line.encode() + b"\n")
        self.prompt, text = self.read()
        return shown, self.site.shown(text.partition("\n")[2])

    def end(self):
        os.kill(self.pid, signal.SIGTERM)
        try:
            while select.select([self.descriptor], [], [], TIME_LIMIT)[0] and os.read(self.descriptor, 65536):
                pass
        except OSError:  # Linux reports the end of a terminal as an error.
            pass
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.descriptor)


def agree(printed, expected):
    """Whether the printed lines are those of the page; a line about a watched screen may come earlier or later."""
    return fits(printed, expected) or all(
        fits(*([line for line in lines if line and (" -> " in line) == is_change] for lines in [printed, expected]))
        for is_change in [False, True])


def fits(printed, expected):
    if not expected:
        return not printed
    if expected[0] == "…":
        return any(fits(printed[skipped:], expected[1:]) for skipped in range(len(printed) + 1))
    return bool(printed) and line_fits(printed[0], expected[0]) and fits(printed[1:], expected[1:])


def line_fits(printed, expected):
    if printed == expected:
        return True
    pattern, rest = "", expected
    special = re.compile(rf"…|{MOMENT.pattern}|\d+(?:\.\d+)? (?:µs|ms)\b")
    while match := special.search(rest):
        pattern += re.escape(rest[:match.start()])
        if match[0] == "…":
            pattern += r".*?"
        elif MOMENT.fullmatch(match[0]):
            pattern += f"(?:{re.escape(match[0])}|({MOMENT.pattern}))"
        else:
            pattern += r"\d+(?:\.\d+)? (?:µs|ms)"
        rest = rest[match.end():]
    match = re.fullmatch(pattern + re.escape(rest), printed)
    return bool(match) and all(is_near(text) for text in match.groups() if text)


def is_near(text):
    """Whether a time is the present one, or that on another day, to an hour."""
    moment = datetime.datetime.strptime(text.replace(" UTC", ":00Z").replace(" ", "T"), "%Y-%m-%dT%H:%M:%SZ")
    seconds = (datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None) - moment).total_seconds() % 86_400
    return min(seconds, 86_400 - seconds) < 3_600


def main(names):
    paths = [ROOT / name for name in names] or [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]
    documents = [Document(path) for path in paths]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = [line for lines in pool.map(Document.play, documents) for line in lines]
    print("\n".join(faults), end="\n" if faults else "")
    if os.environ.get("ATRIUM_REWRITE_DOCUMENTS") == "1":
        for document in documents:
            document.rewrite()
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
