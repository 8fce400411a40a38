"""The HTTP transport, against curl's easy interface in the same process.

The server is a small one in C on loopback, in a process of its own; connections are reused.
"""
import os
import statistics
import subprocess
import tempfile

from tools import Figure, Program, compared, numbers, resident

BATCHES, CALL_BATCH = 31, 0.05e9
SIDES = ["transport", "easy"]
# The goal is set in issue 16.
ALLOWED = 1.2
CASES = [
    ("small", "GET 200 bytes"), ("page", "GET 20 KB"), ("download", "download 100 MB to a file"),
    ("upload", "upload 20 MB from a file")]
UPLOAD_SIZE = 20_000_000
CALLS, DEFAULT_CONNECTIONS = 1_000, 64
BUFFER = 16
"""The size of the buffer in which libcurl receives, in KiB."""
LOADS = 15


def measure(build, folder):
    with Program(build.transport, "serve") as server, tempfile.TemporaryDirectory(dir=folder) as files:
        url = server.process.stdout.readline().decode().strip()
        with open(os.path.join(files, "upload"), "wb") as file:
            file.write(bytes(UPLOAD_SIZE))
        with Program(build.transport, url, files) as program:
            figures = [calls(program, *case) for case in CASES]
        figures += [flight(build, url, files, connections) for connections in (DEFAULT_CONNECTIONS, CALLS)]
        server.process.terminate()
    return figures + [load(build), start(build, folder)]


def calls(program, case, what):
    """Compares sequential calls."""
    run = lambda side, times: numbers(program, "call", case, side, times)
    for side in SIDES: run(side, 1)
    first = max(run(side, 5)[0] / 5 for side in SIDES) if case in ("small", "page") else CALL_BATCH
    times = max(1, int(CALL_BATCH / first))
    return compared(
        what, "curl's easy interface", ALLOWED, lambda side: run(side, times), times, SIDES, BATCHES, "µs")


def flight(build, url, files, connections):
    """The memory of calls that wait for their answers, which is given back when these have come."""
    ours = []
    for _ in range(5):
        with Program(build.transport, url, files) as program:
            program.ask("call\tsmall\ttransport\t20")
            _, before = resident(program.process)
            held = int(program.ask(f"begin\t{CALLS}\t{connections}"))
            if held != min(CALLS, connections): raise RuntimeError(f"The server holds {held} calls.")
            _, during = resident(program.process)
            program.ask("end")
            ours.append((during - before) / CALLS)
    return Figure(
        f"memory of {CALLS:,} calls in flight over {connections:,} connections, each",
        "the buffer of one by curl", "KiB", ours, [BUFFER] * len(ours))


def load(build):
    """Opens the module's library in a program that has opened AtriumKit and another module."""
    library = lambda name: build.path(f"lib{name}.so")
    rows = []
    for _ in range(LOADS):
        with Program(build.bare, "--each") as program:
            program.ask(library("Session"))
            _, ours = map(int, program.ask(library("HTTPTransport")).split())
            _, other = map(int, program.ask(library("UserProfile")).split())
            rows.append((ours / 1e6, other / 1e6))
    ours, other = map(list, zip(*rows))
    return Figure("open the module, and call its entry", "UserProfile", "ms", ours, other)


def start(build, folder):
    """The host with the module loaded, and without."""
    data = os.path.join(folder, "transport")
    server = ["--api", "http://127.0.0.1:9"]
    run = lambda environment: [
        build.host, *build.options, "--data", data, "--env", environment, *server, "-c", "where"]
    for environment in ("live", "local"):
        subprocess.run(run(environment), check=True, capture_output=True)
    launched = subprocess.run(
        [build.launch, "54", *[word for environment in ("live", "local") for word in ["--", *run(environment)]][1:]],
        check=True, capture_output=True, text=True)
    samples = [[int(word) / 1e6 for word in line.split()] for line in launched.stdout.splitlines()]
    batches = [samples[start:start + 6] for start in range(0, len(samples), 6)]
    column = lambda index: [statistics.median(sample[index] for sample in batch) for batch in batches]
    return Figure(
        "start of a host in environment live", "in environment local", "ms", column(0), column(2), None,
        column(1), column(3))
