#!/usr/bin/env python3
"""Draws the picture of a session: picture.py [--check].

Types the lines of Docs/pictures/session.txt into the built host, at a terminal in colour, and writes what it shows
to Docs/pictures/session.svg. The same build gives the same bytes: at a terminal times are relative, and nothing else
in these lines depends on the machine. With --check nothing is written; exits with 1 if the file would change.
"""
import difflib
import fcntl
import html
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios

ROOT = pathlib.Path(__file__).resolve().parents[1]
HOST = ROOT / ".build/release/atrium"
LINES = ROOT / "Docs/pictures/session.txt"
PICTURE = ROOT / "Docs/pictures/session.svg"
COLUMNS, ROWS = 80, 24
TIME_LIMIT = 60
"""How long the host may take for a line, in seconds."""
PERSON, SECRET = "ada@example.com", "correct horse 9"
PROMPT = re.compile(r"\w+ \S+ \S+> ")
SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")

FONT_SIZE, CELL, LINE, MARGIN = 14, 8.4, 19, 16
CLASSES = {"1": "b", "2": "f", "4": "u", "31": "r", "32": "g", "33": "y"}
STYLE = """\
.page { fill: #ffffff; stroke: #d0d7de }
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328; white-space: pre }
.b { font-weight: bold } .f { fill: #6e7781 } .u { text-decoration: underline }
.p { fill: #0550ae } .r { fill: #cf222e } .g { fill: #1a7f37 } .y { fill: #9a6700 }
@media (prefers-color-scheme: dark) {
  .page { fill: #0d1117; stroke: #30363d }
  text { fill: #e6edf3 }
  .f { fill: #8b949e } .p { fill: #79c0ff } .r { fill: #ff7b72 } .g { fill: #3fb950 } .y { fill: #d29922 }
}
"""


class Host:
    """The built host at a terminal of its own, with data of its own."""

    def __init__(self, folder):
        options = ["--data", f"{folder}/data", "--config", f"{ROOT}/modules.json"]
        environment = {**os.environ, "HOME": folder, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SECRET": SECRET}
        environment.pop("NO_COLOR", None)
        # Somebody is signed in, as on most days.
        subprocess.run([HOST, *options, "-c", f"session sign-up --email {PERSON} --password @env:SECRET"],
                       env=environment, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=TIME_LIMIT)
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.chdir(folder)
            os.execve(HOST, ["atrium", *options], environment)

    def read(self):
        """Reads to the next prompt; returns the lines before it, in colour, and the prompt."""
        text = ""
        while True:
            shown = SEQUENCE.sub(lambda match: match[0] if match[2] == "m" else "", text).replace("\r", "")
            lines = shown.split("\n")
            prompt = SEQUENCE.sub("", lines[-1]).lstrip()
            if PROMPT.fullmatch(prompt):
                return lines[:-1], prompt
            if not select.select([self.descriptor], [], [], TIME_LIMIT)[0]:
                raise TimeoutError(f"The host shows no prompt, but {text!r}.")
            text += os.read(self.descriptor, 65536).decode(errors="replace")

    def type(self, line):
        os.write(self.descriptor, line.encode() + b"\n")
        lines, prompt = self.read()
        # The first is the line that was typed.
        return lines[1:], prompt

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.descriptor)


def session():
    """What the terminal shows: a list of lines, each a list of texts with their classes."""
    typed = [line for line in LINES.read_text().splitlines() if not line.startswith("#")]
    with tempfile.TemporaryDirectory(prefix="atrium-picture-") as folder:
        host = Host(folder)
        try:
            shown, prompt = host.read()
            lines = [[("$", "p"), (" atrium", "b")], *map(parts, shown)]
            for line in typed:
                lines.append([(prompt, "p"), (line, "b")])
                shown, prompt = host.type(line)
                lines += map(parts, shown)
        finally:
            host.end()
    while lines and not lines[-1]:
        lines.pop()
    return lines


def parts(line):
    """The texts of a line in colour, with their classes."""
    found, styles, end = [], [], 0
    for match in [*SEQUENCE.finditer(line), None]:
        text = line[end:match.start() if match else len(line)]
        if text.rstrip() or (text and match):
            found.append((text, " ".join(styles)))
        if match:
            end = match.end()
            for code in match[1].split(";"):
                styles = [] if code in ("", "0") else [*styles, CLASSES[code]]
    return found


def drawing(lines):
    width, height = round(COLUMNS * CELL + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'xml:space="preserve">',
           "<title>A session with Atrium at a terminal</title>", f"<style>\n{STYLE}</style>",
           f'<rect class="page" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>']
    for row, line in enumerate(lines):
        column, y = 0, MARGIN + row * LINE + FONT_SIZE
        for text, classes in line:
            start = column + len(text) - len(text.lstrip())
            column += len(text)
            if text := text.strip():
                # With its length, so that columns stand below each other in every font.
                svg.append(f'<text x="{MARGIN + start * CELL:.1f}" y="{y}" textLength="{len(text) * CELL:.1f}"'
                           f'{f" class={chr(34)}{classes}{chr(34)}" if classes else ""}>{html.escape(text, False)}</text>')
    return "\n".join([*svg, "</svg>"]) + "\n"


def main(options):
    made = drawing(session())
    committed = PICTURE.read_text() if PICTURE.exists() else ""
    if "--check" not in options:
        PICTURE.write_text(made)
    elif made != committed:
        print(*difflib.unified_diff(words(committed), words(made), "the picture", "the host", lineterm=""), sep="\n")
        print("The host prints something else than Docs/pictures/session.svg shows: make picture, and look at it.")
        return 1
    return 0


def words(svg):
    """The texts of a picture, to compare."""
    return [html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)", svg)] or [svg]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
