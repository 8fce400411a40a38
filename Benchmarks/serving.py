"""Measures commands of front ends in other processes, and what a host costs that only waits for them."""
import glob
import json
import os
import statistics
import subprocess
import sys
import time

from tools import ROOT, Figure, Host

sys.path.append(os.path.join(ROOT, "Examples", "Clients"))
from atrium_client import Atrium  # noqa: E402: must follow the line above

BATCHES, COMMANDS = 9, 1_000
CLIENTS = 64
MILLISECOND = 1e-3


def measure(build, folder):
    data = os.path.join(folder, "served")
    with Host(build, os.path.join(folder, "fresh"), "--json") as host:
        host.batch(["where"], 1, b'"ok":true')
        pipe = [host.batch(["where"], 1, b'"ok":true')[0] / 1e9 for _ in range(BATCHES * COMMANDS)]
    pipe = [statistics.median(pipe[start::BATCHES]) for start in range(BATCHES)]
    server = subprocess.Popen(
        [build.host, *build.options, "--data", data, "serve"], stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        while not os.path.exists(os.path.join(data, "host.sock")): time.sleep(0.01)
        time.sleep(1)
        idle = [processor_time(server.pid, 1) for _ in range(BATCHES)]
        alone = [round_trip(data) for _ in range(BATCHES)]
        disturbed = {what: beside(data, disturb) for what, disturb in DISTURBANCES.items()}
        rate = many(data)
    finally:
        server.terminate()
        server.wait()
    limit = lambda milliseconds: [milliseconds] * BATCHES
    difference = lambda ours, others: [(one - other) * 1e3 for one, other in zip(ours, others)]
    return [
        Figure("serving: a command over the socket, more than through a pipe", "most", "ms",
               difference(alone, pipe), limit(0.2), 1.0),
        Figure("serving: processor time of a host that waits", "most", "ms/s",
               [seconds * 1e3 for seconds in idle], limit(0.1), 1.0),
        *(Figure(f"serving: a command beside a client that {what}, more than alone", "most", "ms",
                 difference(times, alone), limit(1.0), 1.0) for what, times in disturbed.items()),
        Figure(f"serving: {CLIENTS} clients, {COMMANDS} commands each", "least", "/s", [rate], [1.0],
               at_least=True),
    ]


def round_trip(data):
    """The median time of a command, in seconds."""
    with Atrium(data) as client:
        client.run("where")
        times = []
        for _ in range(COMMANDS):
            start = time.perf_counter()
            client.request("run", line="where")
            times.append(time.perf_counter() - start)
    return statistics.median(times)


def processor_time(process, seconds):
    """How much of a second the threads of a process have run."""
    def total():
        return sum(int(open(path).read().split()[0]) for path in glob.glob(f"/proc/{process}/task/*/schedstat"))
    before = total()
    time.sleep(seconds)
    return (total() - before) / 1e9 / seconds


def beside(data, disturb):
    # In a process of its own: the threads of Python take turns.
    program = subprocess.Popen(
        [sys.executable, os.path.abspath(__file__), disturb, data], stdout=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        return [round_trip(data) for _ in range(BATCHES)]
    finally:
        program.kill()
        program.wait()


def many(data):
    """Commands a second of many clients, each of which waits for its answers."""
    programs = [subprocess.Popen([sys.executable, os.path.abspath(__file__), "ask", data], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE) for _ in range(CLIENTS // 8)]
    for program in programs: program.stdout.readline()
    start = time.perf_counter()
    for program in programs: program.stdin.close()
    if any(program.wait() for program in programs): raise RuntimeError("a client failed")
    return CLIENTS * COMMANDS / (time.perf_counter() - start)


# What the programs do that disturb the host.

def connect(data):
    client = Atrium(data)
    client.socket.settimeout(1)
    return client.socket


def send_garbage(data):
    while True:
        with connect(data) as connection:
            try:
                while True: connection.sendall(b"[" * 100_000 + b"\n")
            except OSError:
                pass


def ask_without_reading(data):
    request = (json.dumps({"jsonrpc": "2.0", "id": 1, "method": "run", "params": {"line": "help"}}) + "\n").encode()
    while True:
        with connect(data) as connection:
            try:
                while True: connection.sendall(request * 100)
            except OSError:
                pass


def send_long_lines(data):
    request = {"jsonrpc": "2.0", "id": 1, "method": "run", "params": {"line": "x" * 1_000_000}}
    with Atrium(data) as client:
        while True: client.request("run", line=request["params"]["line"])


def ask(data):
    clients = [Atrium(data) for _ in range(8)]
    print("ready", flush=True)
    sys.stdin.read()
    for index in range(COMMANDS):
        for number, client in enumerate(clients):
            client.send(id=client.number + 1, method="run", params={"line": f"c{number}n{index}"})
        for number, client in enumerate(clients):
            client.number += 1
            text = ""
            for line in client.lines:
                message = json.loads(line)
                if message.get("id") == client.number: break
                text += message["params"]["text"]
            if f"'c{number}n{index}'" not in text: sys.exit(f"c{number}n{index}: {text}")


DISTURBANCES = {
    "sends brackets": "send_garbage", "asks without reading": "ask_without_reading",
    "sends lines of 1 MB": "send_long_lines",
}

if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2])
