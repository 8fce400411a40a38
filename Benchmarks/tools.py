"""Runs the programs of the benchmarks, and computes the figures."""
import dataclasses
import fcntl
import json
import os
import statistics
import subprocess
import time

from programs import ROOT

PIPE_ROOM = 1 << 20


@dataclasses.dataclass
class Figure:
    """One row of the table: pairs of samples, ours and the reference's, one pair for each batch."""
    what: str
    compared_with: str
    unit: str
    ours: list
    reference: list
    goal: float = None
    processor_ours: list = dataclasses.field(default_factory=list)
    processor_reference: list = dataclasses.field(default_factory=list)
    at_least: bool = False
    details: dict = dataclasses.field(default_factory=dict)

    @property
    def ratio(self):
        """The median of the batches' ratios, so that slow batches cancel out."""
        return statistics.median(ours / reference for ours, reference in zip(self.ours, self.reference))

    @property
    def processor_ratio(self):
        """The ratio of processor time, which other processes disturb less; None if there is none."""
        pairs = [pair for pair in zip(self.processor_ours, self.processor_reference) if pair[1] > 0]
        return statistics.median(ours / reference for ours, reference in pairs) if pairs else None

    @property
    def is_met(self):
        if self.goal is None: return None
        return self.ratio >= self.goal if self.at_least else self.ratio <= self.goal

    def cells(self):
        show = lambda value: f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
        goal = "" if self.goal is None else ("≥ " if self.at_least else "≤ ") + f"{self.goal:g}"
        met = {None: "", True: "yes", False: "**no**"}[self.is_met]
        processor = self.processor_ratio
        return [
            self.what, f"{show(statistics.median(self.ours))} {self.unit}",
            f"{self.compared_with}: {show(statistics.median(self.reference))} {self.unit}",
            f"{self.ratio:.2f}", "" if processor is None else f"{processor:.2f}", goal, met]

    def raw(self):
        return dataclasses.asdict(self) | {"ratio": self.ratio, "isMet": self.is_met}


def table(figures):
    """The figures as a table that is readable as text and as Markdown."""
    head = ["what", "ours", "compared with", "ratio", "ratio of CPU", "goal", "met"]
    return aligned([head] + [figure.cells() for figure in figures])


def aligned(rows):
    """Rows of cells as a Markdown table; the first row is the head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    line = lambda cells: "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"
    return "\n".join(map(line, [rows[0], ["-" * width for width in widths], *rows[1:]]))


def interleaved(sides, batches, run):
    """Samples of sides that run in turn; each side runs first equally often."""
    samples = {side: [] for side in sides}
    for round in range(batches):
        for index in range(len(sides)):
            side = sides[(round + index) % len(sides)]
            samples[side].append(run(side))
    return samples


def numbers(program, *words):
    return list(map(int, program.ask("\t".join(map(str, words))).split()))


def compared(what, name, goal, run, times, sides, batches, unit):
    """One figure of two sides that run in turn after a warm-up; `run` measures a side `times` times."""
    scale = times * {"µs": 1e3, "ns": 1}[unit]
    for side in sides: run(side)
    samples = interleaved(sides, batches, run)
    column = lambda side, clock: [sample[clock] / scale for sample in samples[side]]
    ours, reference = sides
    return Figure(
        what, name, unit, column(ours, 0), column(reference, 0), goal, column(ours, 1), column(reference, 1))


class Build:
    """A folder with the built host and the programs it is compared with."""
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.host = self.path("atrium")
        self.libraries = [self.path(f"lib{name}.so") for name in ("Session", "UserProfile", "Entities")]
        self.options = ["--config", os.path.join(ROOT, "modules.json")]
        self.bare, self.launch, self.reference = map(self.path, ("BenchBare", "BenchLaunch", "BenchReference"))
        self.api, self.container, self.layers = map(self.path, ("BenchAPI", "BenchContainer", "BenchLayers"))
        self.navigation, self.render, self.service, self.transport, self.libpq = map(
            self.path, ("BenchNavigation", "BenchRender", "BenchService", "BenchTransport", "BenchLibpq"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def module(self, name):
        """The content of a module's library in Benchmarks/Modules."""
        with open(self.path(f"libBench{name.capitalize()}.so"), "rb") as file:
            return file.read()

    def script(self, data, text):
        """Runs commands in a host of its own; returns the replies."""
        command = [self.host, *self.options, "--data", data, "--json", "-c", text]
        answer = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if answer.returncode != 0: raise RuntimeError(f"{text}: {answer.stdout}{answer.stderr}")
        return [json.loads(line) for line in answer.stdout.splitlines()]


class Program:
    """A running program that answers lines; use it in a `with` statement."""
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        for pipe in (self.process.stdin, self.process.stdout):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_ROOM)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    @property
    def processor_time(self):
        """Nanoseconds of processor time of all its threads, from the clock of another process."""
        return time.clock_gettime_ns((~self.process.pid << 3) | 2)

    def tell(self, text):
        """Writes lines that have no reply."""
        self.process.stdin.write(text.encode())

    def ask(self, text):
        """Writes a line and returns its reply."""
        self.tell(text + "\n")
        return self.process.stdout.readline().decode()


class Host(Program):
    """A running host that reads commands from a pipe."""
    def __init__(self, build, data, *options):
        super().__init__(build.host, *build.options, "--data", data, *options)

    def run(self, command):
        """Returns the result of one command."""
        reply = json.loads(self.ask(command))
        if not reply["ok"]: raise RuntimeError(f"{command}: {reply['error']['message']}")
        return reply["result"]

    def batch(self, lines, lines_of_answer=1, answer=b'"ok":true'):
        """Runs a batch; returns wall-clock and processor time in nanoseconds.

        `answer` occurs once in the reply to each line.
        """
        text, pieces, missing = ("\n".join(lines) + "\n").encode(), [], len(lines) * lines_of_answer
        if len(text) > PIPE_ROOM: raise ValueError("The batch does not fit into the pipe.")
        to_host, from_host = self.process.stdin.fileno(), self.process.stdout.fileno()
        wall, processor = time.perf_counter_ns(), self.processor_time
        os.write(to_host, text)
        while missing > 0:
            piece = os.read(from_host, PIPE_ROOM)
            if not piece: raise RuntimeError("The host has ended.")
            pieces.append(piece)
            missing -= piece.count(b"\n")
        wall, processor = time.perf_counter_ns() - wall, self.processor_time - processor
        answers = b"".join(pieces)
        if answers.count(answer) != len(lines): raise RuntimeError(f"A command failed: {answers[:400]!r}")
        return wall, processor


def resident(process):
    """KiB of a process: its resident memory, and the part that it has written itself."""
    with open(f"/proc/{process.pid}/smaps_rollup") as file:
        sizes = {line.split(":")[0]: int(line.split()[1]) for line in file if line.endswith("kB\n")}
    return sizes["Rss"], sizes["Private_Dirty"]
