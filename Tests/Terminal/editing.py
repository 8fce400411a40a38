#!/usr/bin/env python3
"""Edits random lines at the prompt of the built host, in a terminal emulator (pyte) of each width and kind.

    Tests/Terminal/editing.py [--host FILE] [--modules DIR] [--seed N] [--seconds N] [STEP …]

Terminals differ in the cells of emoji and marks: the emulator counts by characters as Unicode has them, by code
points, or gives one cell to all. After each key the screen has to be the line, in each of them, and what runs has to
be the line that was shown. Exits 1 if a step failed.
"""

import argparse
import fcntl
import json
import os
import pathlib
import pty
import random
import select
import signal
import struct
import sys
import tempfile
import termios
import time
import unicodedata

import pyte

sys.dont_write_bytecode = True
from tmux import Failed, Tmux  # noqa: E402: must follow the line above

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / ".build" / "release"
EMOJI_TEST = pathlib.Path("/usr/share/unicode/emoji/emoji-test.txt")
PROMPT, CONTINUATION = "mock guest home> ", "… "
START = "assert x != '"
DEADLINE = 20
KINDS = ("characters", "code points", "one cell")


# Characters

def emoji():
    """The sequences of Unicode's test file, each with its width."""
    found = {}
    for line in EMOJI_TEST.read_text().splitlines():
        fields = line.split("#")[0].split(";")
        if len(fields) < 2 or fields[1].strip() == "component":
            continue
        text = "".join(chr(int(code, 16)) for code in fields[0].split())
        is_text = fields[1].strip() == "unqualified" and "\u200d" not in text and "\ufe0f" not in text
        found[text] = sum(map(scalar_width, text)) if is_text else 2
    return found


MARKED = ["e\u0301", "o\u0308\u0323", "Z\u0351\u0327\u0300\u0334", "क\u094d\u0937", "न\u0940", "த\u0bbf",
          "ก\u0e47", "ب\u0650", "ل\u0651\u064e", "\u1112\u1161\u11ab", "\u1100\u1173"]
"""Latin with marks, Devanagari, Tamil, Thai, Arabic, Hangul as its parts."""
PLAIN = list("eeee  nnaaa-=.x") + list("éßЖשعنक") + list("你好漢字ひカ한글")


def scalar_width(scalar):
    if unicodedata.category(scalar) in ("Mn", "Me", "Cf") or "\u1160" <= scalar <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(scalar) in "WF" else 1


EMOJI = emoji()
EMOJI_LIST = list(EMOJI)


def width(text):
    return EMOJI.get(text) or sum(map(scalar_width, text))


def is_certain(text):
    return len(text) == 1 and (text.isascii() or unicodedata.category(text)[0] == "L")


def letters(text):
    return "".join(filter(is_certain, text)).replace(" ", "")


# The emulator

class Screen(pyte.Screen):
    """A screen that gives characters the cells of one kind of terminal, and wraps and erases as xterm does."""

    kind = KINDS[0]
    beeps = 0

    def bell(self, *_):
        self.beeps += 1

    def draw(self, data):
        for text in self.clusters(data):
            cells = min(self.cells(text), self.columns)
            if cells == 0:
                self.combine(text)
                continue
            if self.cursor.x + cells > self.columns:
                if pyte.modes.DECAWM in self.mode:
                    self.carriage_return()
                    self.linefeed()
                else:
                    self.cursor.x = self.columns - cells
            self.put(text, cells)

    def put(self, text, cells):
        row = self.buffer[self.cursor.y]
        start, end = self.cursor.x, self.cursor.x + cells
        if row[start].data == "" and start > 0:
            row[start - 1] = row[start - 1]._replace(data=" ")
        if end < self.columns and row[end].data == "":
            row[end] = row[end]._replace(data=" ")
        for x in range(start, end):
            row[x] = self.cursor.attrs._replace(data=text if x == start else "")
        self.cursor.x = end

    def combine(self, text):
        row, x = self.buffer[self.cursor.y], self.cursor.x - 1
        while x > 0 and row[x].data == "":
            x -= 1
        if x >= 0:
            row[x] = row[x]._replace(data=row[x].data + text)

    def clusters(self, data):
        if self.kind == "code points":
            return list(data)
        found, rest = [], data
        while rest:
            size = next((n for n in range(min(len(rest), 12), 1, -1) if rest[:n] in EMOJI or rest[:n] in MARKED), 1)
            found.append(rest[:size])
            rest = rest[size:]
        return found

    def cells(self, text):
        if self.kind == "one cell" and text in EMOJI:
            return 1
        return width(text)

    def erase_in_line(self, how=0, private=False):
        self.settle()
        super().erase_in_line(how, private)

    def erase_in_display(self, how=0, *args, **kwargs):
        self.settle()
        super().erase_in_display(how)

    def settle(self):
        # At the edge the cursor is still on the last cell.
        self.cursor.x = min(self.cursor.x, self.columns - 1)


class Terminal:
    """A host at a bare pty, and what an emulator shows of it."""

    def __init__(self, command, kind, columns, rows):
        self.screen = Screen(columns, rows)
        self.screen.kind = kind
        self.stream = pyte.ByteStream(self.screen)
        self.prompts = 0
        self.log = b""
        self.descriptor, child = pty.openpty()
        self.other = os.ttyname(child)
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = os.fork()
        if self.process == 0:
            os.close(self.descriptor)
            os.login_tty(child)
            os.environ.update(TERM="xterm-256color", NO_COLOR="1", PAGER="")
            os.execv(command[0], [str(word) for word in command])
        os.close(child)
        self.expect_prompt(1)

    def read(self, condition, what):
        end = time.monotonic() + DEADLINE
        while not condition():
            if not select.select([self.descriptor], [], [], max(0, end - time.monotonic()))[0]:
                raise Failed(f"timed out waiting for {what}")
            data = os.read(self.descriptor, 65_536)
            self.log = (self.log + data)[-4000:]
            self.prompts += data.count(b"\x1b[?2004h")
            self.stream.feed(data)

    def press(self, keys):
        """Sends keys, and NUL, at which the host beeps once all is drawn."""
        count = self.screen.beeps
        os.write(self.descriptor, keys.encode() + b"\0")
        self.read(lambda: self.screen.beeps > count, f"a beep after {keys!r}")

    def type(self, keys, shown):
        """Sends keys, and waits until the screen shows a text."""
        os.write(self.descriptor, keys.encode())
        self.read(lambda: any(shown in row.replace("  ", " ") for row in self.rows()), repr(shown))

    def rows(self):
        return ["".join(self.screen.buffer[y][x].data for x in range(self.screen.columns))
                for y in range(self.screen.lines)]

    def expect_prompt(self, count):
        self.read(lambda: self.prompts >= count, f"prompt {count}")
        self.press("")

    def enter(self, key=b"\r"):
        count = self.prompts
        os.write(self.descriptor, key)
        self.expect_prompt(count + 1)

    def interrupt(self):
        self.enter(b"\x03")

    def end(self):
        self.interrupt()
        self.leave(b"\x04", 0)

    def leave(self, key, expected):
        """Ends the host by a key; the descriptor of the terminal's other end sees how it is left."""
        other = os.open(self.other, os.O_RDWR | os.O_NOCTTY)
        os.write(self.descriptor, key)
        while True:
            if select.select([self.descriptor], [], [], 0.01)[0]:
                os.read(self.descriptor, 65_536)
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                break
        flags = termios.tcgetattr(other)[3]
        for descriptor in (self.descriptor, other):
            os.close(descriptor)
        if os.waitstatus_to_exitcode(status) != expected:
            raise Failed(f"the host ended with status {os.waitstatus_to_exitcode(status)}")
        if not flags & termios.ECHO or not flags & termios.ICANON:
            raise Failed(f"the terminal is left without its echo: {flags:o}")


class TmuxTerminal:
    """A host in tmux, of which the rows and the cursor are known, and not the cells of a character."""

    def __init__(self, tmux, command, columns, rows):
        self.terminal = tmux.start(["env", "NO_COLOR=1", "PAGER=", *command], columns, rows)
        self.terminal.expect_last_line(PROMPT.rstrip())
        self.columns, self.lines = columns, rows

    def press(self, keys):
        (self.terminal.folder / "keys").write_text(keys)
        self.terminal.tmux("load-buffer", "-b", "keys", self.terminal.folder / "keys")
        self.terminal.tmux("paste-buffer", "-r", "-b", "keys", "-t", self.terminal.name)

    def resize(self, columns):
        self.terminal.resize(columns, self.lines)
        self.columns = columns

    def expect(self, line, cursor):
        rows, where = lay_out(PROMPT, line, cursor, self.columns)
        shown = [letters("".join(text for _, text, _ in row)) for row in rows]
        end = time.monotonic() + DEADLINE / 2
        while (problem := self.problem(shown, where)) and time.monotonic() < end:
            time.sleep(0.005)
        if problem:
            raise Failed(f"in tmux, {problem}\n{self.columns} × {self.lines}, cursor {where}\nline {''.join(line)!r}\n"
                         + "\n".join(self.terminal.lines()))

    def problem(self, shown, where):
        said = self.terminal.tmux(
            "display-message", "-p", "-t", self.terminal.name, "#{cursor_y} #{cursor_x}", ";",
            "capture-pane", "-p", "-t", self.terminal.name)
        y, x = map(int, said.split("\n")[0].split())
        first = y - where[0]
        found = [letters(row) for row in said.split("\n")[1:-1]][max(first, 0):]
        if first < 0 or x != where[1]:
            return f"the cursor is in row {y}, column {x}"
        return "" if found[:len(shown)] == shown and not any(found[len(shown):]) else f"the rows are {found}"


# What the screen has to show

def lay_out(prompt, line, cursor, columns):
    """The cells of each row, as (column, text, width), and the cell of the cursor."""
    rows, column, where = [[]], 0, None

    def put(text):
        nonlocal column
        cells = width(text)
        if column + cells > columns:
            rows.append([])
            column = 0
        rows[-1].append((column, text, cells))
        column += cells
        if column == columns:
            rows.append([])
            column = 0

    for character in prompt:
        put(character)
    for index, text in enumerate(line):
        if index == cursor:
            where = (len(rows) - 1, column)
        if text == "\n":
            rows.append([])
            column = 0
            for character in CONTINUATION:
                put(character)
        else:
            put(text)
    return rows, where or (len(rows) - 1, column)


def expect_screen(terminal, line, cursor, prompt=PROMPT, above=None):
    screen = terminal.screen
    rows, where = lay_out(prompt, line, cursor, screen.columns)
    top = max(0, where[0] - screen.cursor.y)
    shown = rows[top:top + screen.lines]
    first = screen.cursor.y - (where[0] - top)
    grid = [[screen.buffer[y][x].data for x in range(screen.columns)] for y in range(screen.lines)]
    problems = []
    if first + len(shown) > screen.lines:
        problems.append("rows are below the screen")
        shown = shown[:screen.lines - first]
    if (screen.cursor.y - first + top, screen.cursor.x) != where:
        problems.append(f"the cursor is in column {screen.cursor.x}, not {where[1]}")
    if len(rows) > screen.lines and len(shown) < screen.lines or len(rows) <= screen.lines and top > 0:
        problems.append("rows are missing")
    expected = [[" "] * screen.columns for _ in range(first, screen.lines)]
    for y, row in enumerate(shown):
        for column, text, cells in row:
            drawn = grid[first + y][column]
            if is_certain(text) or screen.kind == KINDS[0] and text in EMOJI:
                expected[y][column:column + cells] = [text] + [""] * (cells - 1)
            elif drawn[:1] != text[:1] and column + 2 * len(text) <= screen.columns:
                problems.append(f"{drawn!r} in place of {text!r}")
            else:
                # Terminals differ in the rest, and at the edge.
                expected[y][column:column + cells] = grid[first + y][column:column + cells]
    if grid[first:] != expected:
        problems.append("the rows differ")
    if above is not None and above[len(above) - first:] != grid[:first]:
        problems.append("the rows above differ")
    if problems:
        show = lambda rows: "\n".join("|" + "".join(row) + "|" for row in rows)
        raise Failed(f"{', '.join(problems)}\nkind {screen.kind}, {screen.columns} × {screen.lines}, cursor {where}\n"
                     f"line {''.join(line)!r}\nscreen\n{show(grid)}\nexpected from row {first}\n{show(expected)}\n"
                     f"last output {terminal.log[-300:]!r}")


# Edits

def edits(random):
    """Random keys, each with its effect on a line (a list of characters) and the cursor."""
    def typed():
        kind = random.randrange(4)
        return random.choice(EMOJI_LIST if kind == 0 else MARKED if kind == 1 else PLAIN)

    def row_start(line, cursor):
        return max((i + 1 for i in range(cursor) if line[i] == "\n"), default=0)

    def row_end(line, cursor):
        return next((i for i in range(cursor, len(line)) if line[i] == "\n"), len(line))

    def insert(line, cursor):
        words = [typed() for _ in range(random.choice((1, 1, 1, 5)))]
        return "".join(words), line[:cursor] + words + line[cursor:], cursor + len(words)

    def paste(line, cursor):
        words = [typed() for _ in range(random.randrange(1, 30))]
        return f"\x1b[200~{''.join(words)}\x1b[201~", line[:cursor] + words + line[cursor:], cursor + len(words)

    def new_row(line, _):
        return "\r", line + ["\n"], len(line) + 1

    def transpose(line, cursor):
        second = cursor - 1 if cursor == len(line) else cursor
        if second < 1:
            return "", line, cursor
        return "\x14", line[:second - 1] + [line[second], line[second - 1]] + line[second + 1:], second + 1

    moves = [
        lambda line, cursor: ("\x1b[D", line, cursor - 1),
        lambda line, cursor: ("\x02\x02", line, cursor - 2),
        lambda line, cursor: ("\x1b[C", line, cursor + 1),
        lambda line, cursor: ("\x06\x06\x06", line, cursor + 3),
        lambda line, cursor: ("\x01", line, row_start(line, cursor)),
        lambda line, cursor: ("\x05", line, row_end(line, cursor)),
    ]
    changes = [
        insert, insert, insert, insert, paste, new_row, transpose,
        lambda line, cursor: ("\x7f", line[:cursor - 1] + line[cursor:], cursor - 1),
        lambda line, cursor: ("\x1b[3~", line[:cursor] + line[cursor + 1:], cursor),
        lambda line, cursor: ("\x7f\x7f\x7f", line[:cursor - 3] + line[cursor:], cursor - 3),
        lambda line, cursor: ("\x02\x06\x0b\x19", line, row_end(line, cursor)),
        lambda line, cursor: ("\x15", line[:row_start(line, cursor)] + line[cursor:], row_start(line, cursor)),
    ]
    return moves + changes


def edit(terminal, random, count, limit, check):
    """Types random keys after the start of a value in quotes, and returns the line, of `limit` characters at most."""
    line, start = list(START), len(START)
    terminal.press(START)
    cursor = start
    for _ in range(count):
        keys, changed, moved = random.choice(edits(random))(line, cursor)
        is_move = changed is line
        if not 0 <= moved <= len(changed) or changed[:start] != list(START) or len(changed) > limit:
            continue
        # A key that does nothing beeps.
        if moved == cursor and is_move and keys not in "\x01\x05" or changed == line and not is_move:
            continue
        if min(moved, cursor) < start and not is_move:
            continue
        if joins(changed, moved):
            continue
        line, cursor = changed, moved
        terminal.press(keys)
        check(line, cursor)
    return line


def joins(line, cursor):
    """Whether two characters would be one."""
    text = "".join(line)
    return any(a[-1:] in "\u1100\u1112" or b[:1] in "\u1161\u11ab" for a, b in zip(line, line[1:])) or "\r" in text


def history(folder):
    path = folder / "data" / "history"
    return [line.replace("\v", "\n") for line in path.read_text().split("\n")[:-1]] if path.exists() else []


def expect_history(folder, line):
    last = history(folder)[-1:]
    if last != ["".join(line)]:
        raise Failed(f"the line {''.join(line)!r} is in the history as {last!r}")


# Steps

class Start:
    def __init__(self, command):
        self.command = command

    def __call__(self, kind, columns, rows):
        return Terminal(self.command, kind, columns, rows)


def what_is_typed_is_shown_and_runs(start, folder, random, seconds):
    end = time.monotonic() + seconds
    sizes = [(20, 24), (21, 6), (33, 12), (80, 24), (120, 24)]
    count = 0
    while time.monotonic() < end or count < len(KINDS):
        columns, rows = sizes[count] if count < len(sizes) else (random.randrange(20, 121), random.randrange(5, 40))
        terminal = start(KINDS[count % len(KINDS)], columns, rows)
        for _ in range(2):
            grid = [[terminal.screen.buffer[y][x].data for x in range(columns)] for y in range(rows)]
            above = grid[:terminal.screen.cursor.y]
            line = edit(terminal, random, 60, 3 * columns * rows // 2, lambda line, cursor: expect_screen(
                terminal, line, cursor, above=above))
            terminal.press("\r'")
            line += ["\n", "'"]
            expect_screen(terminal, line, len(line))
            terminal.enter()
            expect_screen(terminal, [], 0)
            expect_history(folder, line)
            terminal.press("\x1b[A")
            expect_screen(terminal, line, len(line))
            terminal.interrupt()
        terminal.end()
        count += 1
    print(f"  {count} terminals", flush=True)


def every_emoji_is_one_key(start, folder, random, seconds):
    for kind, columns in zip(KINDS, (20, 47, 80)):
        terminal = start(kind, columns, 24)
        chosen = random.sample(EMOJI_LIST, 30)
        line = list(START)
        terminal.press(START)
        for text in chosen:
            terminal.press(f"x{text}y\x1b[D\x7fZ\x1b[C")
            line += ["x", "Z", "y"]
            expect_screen(terminal, line, len(line))
        terminal.press("'")
        terminal.enter()
        expect_history(folder, line + ["'"])
        terminal.end()


def an_entry_of_several_rows_is_kept(start, folder, random, seconds):
    line = list(START) + ["o", "n", "e", "\n", "👨‍👩‍👧", " ", "b", "\n", "e\u0301", "'"]
    terminal = start(KINDS[0], 40, 24)
    terminal.press("".join(line).replace("\n", "\r"))
    expect_screen(terminal, line, len(line))
    terminal.enter()
    terminal.end()
    terminal = start(KINDS[0], 40, 24)
    terminal.press("\x1b[A")
    expect_screen(terminal, line, len(line))
    # In an entry that was changed, Up and Down move by rows.
    terminal.press("\x02\x1b[A\x1b[C")
    expect_screen(terminal, line, len(line) - 4)
    terminal.press("\x7fc\x1b[B")
    line[-5] = "c"
    terminal.enter()
    expect_history(folder, line)
    terminal.end()


def a_search_shows_what_it_found(start, folder, random, seconds):
    terminal = start(KINDS[1], 30, 24)
    lines = [f"{START}{text}'" for text in ("👩🏽‍🚀 repeat repeat repeat repeat", "ab\nc\u0308d", "repeat")]
    for line in lines:
        terminal.press(line.replace("\n", "\r"))
        terminal.enter()
    # NUL would end the search.
    terminal.type("\x12", "(search: '') ")
    expect_screen(terminal, [], 0, prompt="(search: '') ")
    terminal.type("d", "(search: 'd') ")
    found = list(START) + ["a", "b", "\n", "c\u0308", "d", "'"]
    expect_screen(terminal, found, len(found), prompt="(search: 'd') ")
    terminal.type("\x7frepeat r", "repeat r') ")
    found = list(START) + ["👩🏽‍🚀"] + list(" repeat repeat repeat repeat'")
    expect_screen(terminal, found, len(found), prompt="(search: 'repeat r') ")
    terminal.press("\x01")
    expect_screen(terminal, found, 0)
    terminal.press("\x05\x15")
    expect_screen(terminal, [], 0)
    terminal.end()


def ctrl_z_keeps_the_line(start, folder, random, seconds):
    line = list(START) + ["👨‍👩‍👧", "a", "\n", "b", "c"]
    terminal = start(KINDS[0], 40, 24)
    terminal.press("".join(line).replace("\n", "\r") + "\x02\x02\x02")
    terminal.enter(b"\x1a")
    expect_screen(terminal, line, len(line) - 3)
    terminal.end()


def ctrl_z_where_it_is_ignored_keeps_the_line(start, folder, random, seconds):
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    ctrl_z_keeps_the_line(start, folder, random, seconds)
    signal.signal(signal.SIGTSTP, signal.SIG_DFL)


def ctrl_backslash_leaves_the_terminal_as_it_was(start, folder, random, seconds):
    """While a command runs: at the prompt it is a key."""
    terminal = start(KINDS[0], 80, 24)
    terminal.press("mock set EntityService slow --delay 60s")
    terminal.enter()
    terminal.type("entities list\r", "; Ctrl-C cancels")
    terminal.leave(b"\x1c", -signal.SIGQUIT)


def a_line_over_several_rows_is_whole(start, folder, random, seconds):
    """Text with repeated letters, whose beginning is typed last."""
    line = list("entities create --name 'Blue lamp' --category lighting --notes "
                "'stands by the reading chair in the living room'")
    for columns in (20, 80):
        terminal = start(KINDS[0], columns, 24)
        terminal.press("".join(line) + "\x01")
        for index, character in enumerate("repeat 3 "):
            terminal.press(character)
            line.insert(index, character)
            expect_screen(terminal, line, index + 1)
        line = line[9:]
        terminal.end()


def what_is_typed_is_shown_in_tmux(start, folder, random, seconds):
    with Tmux(folder) as tmux:
        for columns in (20, 80):
            terminal = TmuxTerminal(tmux, start.command, columns, 60)

            def check(line, cursor):
                if random.randrange(10) == 0:
                    terminal.resize(random.randrange(20, 121))
                terminal.expect(line, cursor)

            line = edit(terminal, random, 40, 300, check)
            terminal.press("\r'")
            line += ["\n", "'"]
            terminal.expect(line, len(line))
            terminal.press("\r")
            terminal.terminal.until("an end", lambda: history(folder)[-1:] == ["".join(line)])


STEPS = [what_is_typed_is_shown_and_runs, what_is_typed_is_shown_in_tmux, every_emoji_is_one_key, an_entry_of_several_rows_is_kept,
         a_search_shows_what_it_found, ctrl_z_keeps_the_line, ctrl_z_where_it_is_ignored_keeps_the_line,
         ctrl_backslash_leaves_the_terminal_as_it_was, a_line_over_several_rows_is_whole]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", type=pathlib.Path, default=RELEASE / "atrium")
    parser.add_argument("--modules", type=pathlib.Path, default=RELEASE)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--seconds", type=float, default=10, help="how long the random edits take")
    parser.add_argument("steps", nargs="*", metavar="STEP")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    failed = 0
    for step in STEPS:
        if options.steps and step.__name__ not in options.steps:
            continue
        with tempfile.TemporaryDirectory(prefix="atrium-") as name:
            folder = pathlib.Path(name)
            modules = folder / "modules.json"
            modules.write_text(json.dumps({"environment": "mock", "searchPaths": [str(options.modules.absolute())],
                                           "modules": [{"name": name} for name in ("Session", "Entities")]}))
            command = [options.host.absolute(), "--data", folder / "data", "--config", modules]
            begin = time.monotonic()
            try:
                step(Start(command), folder, random.Random(options.seed), options.seconds)
                print(f"ok {step.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
            except Failed as failure:
                failed += 1
                print(f"FAILED {step.__name__}: {failure}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
