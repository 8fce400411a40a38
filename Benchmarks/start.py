"""Measures the host's start and memory, against a program that only loads the same libraries."""
import os
import statistics
import subprocess

from tools import Figure, Host, Program, resident

BATCHES, RUNS = 9, 6


def measure(build, folder):
    fresh, used = os.path.join(folder, "fresh"), os.path.join(folder, "used")
    build.script(fresh, "modules")
    build.script(used, (
        "session sign-up --email bench@example.com --password 'a long password'; "
        "entities create --name Lamp; open entities; open entities/1; open profile"))
    stack = build.script(used, "where")[0]["result"]
    if len(stack["rows"]) != 3 or stack["person"] == "guest":
        raise RuntimeError(f"Nothing was restored: {stack}")

    host = [build.host, *build.options, "--data"]
    commands = [
        [build.bare, *build.libraries], host + [fresh, "-c", "modules"], host + [used, "-c", "where"],
        [build.host, "--version"]]
    words = [word for command in commands for word in ["--"] + command][1:]
    launched = subprocess.run(
        [build.launch, str(BATCHES * RUNS), *words], check=True, capture_output=True, text=True)
    samples = [[int(word) / 1e6 for word in line.split()] for line in launched.stdout.splitlines()]
    batches = [samples[start:start + RUNS] for start in range(0, len(samples), RUNS)]
    column = lambda index: [statistics.median(sample[index] for sample in batch) for batch in batches]
    figure = lambda what, index, goal=None: Figure(
        what, "bare program", "ms", column(2 * index), column(0), goal,
        processor_ours=column(2 * index + 1), processor_reference=column(1))
    return [
        figure("start to prompt, three modules", 1, 2.0),
        figure("the same, signed in, three screens restored", 2, 2.0),
        figure("(the executable alone: --version)", 3),
    ]


def measure_memory(build, folder):
    # The host runs copies of the modules; until these are on disk, their code counts as written memory.
    os.sync()
    rows = []
    for _ in range(7):
        with Host(build, os.path.join(folder, "fresh"), "--json") as host, \
                Program(build.bare, "--wait", *build.libraries) as bare:
            host.run("modules")
            bare.process.stdout.readline()
            rows.append([size / 1024 for size in resident(host.process) + resident(bare.process)])
    ours, own, reference, reference_own = map(list, zip(*rows))
    return [
        Figure("resident memory after start", "bare program", "MiB", ours, reference),
        Figure("of that, written by the process", "bare program", "MiB", own, reference_own),
    ]
