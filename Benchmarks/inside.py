"""Measures what looking inside costs: calls of services, with and without taps, and Swift at the prompt."""
import json
import os
import subprocess
import sys
import time

from serving import Atrium, round_trip
from tools import Figure, Host, compared, interleaved, resident

BATCHES, CALLS = 31, 200_000
RATE = 1_000_000
ROUNDS = 9
SNIPPETS = 200
FIRST = 50


def measure(build, folder, snippets):
    config = os.path.join(folder, "calls.json")
    with open(config, "w") as file:
        json.dump({
            "searchPaths": [build.folder],
            "modules": [{"name": "Session"}, {"name": "Calls", "path": build.path("libBenchCalls.so")}]}, file)
    return [*calls(build, folder, config), *tapped(build, folder, config), *swift(build, folder, snippets)]


def calls(build, folder, config):
    """A call through the proxy of a service that nothing taps, and without its branch."""
    build = Configured(build, config)
    with Host(build, os.path.join(folder, "calls"), "--json") as host:
        run = lambda side: [host.run(f"calls cost {side} {CALLS}")["time"]] * 2
        figures = [
            compared(
                "a call of a service through its proxy, no tap", name, None, run, CALLS, ("proxy", side), BATCHES, "ns")
            for side, name in [("forwarder", "a proxy without the branch"), ("service", "the service alone")]]
    for figure in figures: figure.processor_ours = figure.processor_reference = []
    more = [ours - others for ours, others in zip(figures[0].ours, figures[0].reference)]
    return [*figures, Figure("(the branch)", "most", "ns", more, [2] * len(more), 1.0)]


def tapped(build, folder, config):
    """A command at the prompt while a task makes calls, tapped by another front end, and not."""
    data = os.path.join(folder, "tapped")
    server = subprocess.Popen(
        [build.host, "--config", config, "--data", data, "serve"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not os.path.exists(os.path.join(data, "host.sock")): time.sleep(0.01)
        times, rates = {"untapped": [], "tapped": []}, {"untapped": [], "tapped": []}
        for _ in range(ROUNDS):
            for kind in times:
                with Atrium(data) as client:
                    tapping = kind == "tapped" and subprocess.Popen(
                        [sys.executable, os.path.abspath(__file__), data], stdout=subprocess.PIPE)
                    if tapping: tapping.stdout.readline()
                    client.run(f"calls begin {RATE}")
                    times[kind].append(round_trip(data) * 1e3)
                    rates[kind].append(client.run("calls end")[0]["result"]["rate"])
                    if tapping: end(tapping)
    finally:
        server.terminate()
        server.wait()
    more = [ours - others for ours, others in zip(times["tapped"], times["untapped"])]
    return [
        Figure("a command beside 1,000,000 tapped calls a second, more than beside untapped ones", "most", "ms", more,
               [1] * ROUNDS, 1.0),
        Figure("(those calls a second)", "untapped", "/s", rates["tapped"], rates["untapped"])]


def end(process):
    process.kill()
    process.wait()


def swift(build, folder, snippets):
    """From Enter to the value, beside the compiler alone; what many lines leave behind."""
    empty = os.path.join(folder, "empty.swift")
    open(empty, "w").close()
    compiler = ["swiftc", "-emit-library", empty, "-o", os.path.join(folder, "empty.so")]
    with Host(build, os.path.join(folder, "snippets"), "--json") as host:
        host.run("swift 0")
        values, compiled = [], []
        for number in range(ROUNDS):
            values.append(timed(lambda: host.run(f"swift {number} + 1")))
            compiled.append(timed(lambda: subprocess.run(compiler, check=True)))
        memory = []
        for number in range(snippets or SNIPPETS):
            host.run(f"swift {number} + 2")
            memory.append(resident(host.process)[0])
        each = (memory[-1] - memory[FIRST]) / (len(memory) - 1 - FIRST)
        with Host(build, os.path.join(folder, "fresh"), "--json") as other:
            other.run("swift 0")
            later = interleaved([host, other], ROUNDS, lambda side: timed(lambda: side.run("swift 3 + 4")))
    return [
        Figure("Swift at the prompt, Enter to value", "swiftc, an empty file", "s", values, compiled),
        Figure("(Enter to value)", "most", "s", values, [0.5] * ROUNDS, 1.0),
        Figure(
            f"Swift at the prompt after {len(memory):,} lines", "in a new host", "s", later[host], later[other], 1.1),
        Figure("(memory that each line leaves)", "most", "KiB", [each], [20], 1.0)]


def timed(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


class Configured:
    """A build whose host runs the modules of another configuration."""
    def __init__(self, build, config):
        self.host, self.options = build.host, ["--config", config]


def tap(data):
    """Taps the calls again and again: a tap ends with its limit."""
    with Atrium(data) as client:
        while True:
            client.run("tap CountService --limit 1000000 --for 1s")
            print("tapping", flush=True)
            time.sleep(1)


if __name__ == "__main__":
    tap(sys.argv[1])
