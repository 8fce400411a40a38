"""A client of the Model Context Protocol that writes bytes, for the scripts beside it."""

import json
import subprocess
import sys
import threading

LIMIT = 60


def check(condition, *explanation):
    """Ends the script with an explanation unless a condition is true."""
    if not condition:
        sys.exit(" ".join(str(part)[:2000] for part in explanation))


def code(answer):
    """The code of an error of the protocol; None for a result."""
    return answer.get("error", {}).get("code")


class Session:
    """A session of 'atrium mcp', started with a command."""

    def __init__(self, command, initializes=True, capabilities=None, environment=None, folder=None,
                 limit=LIMIT):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment,
            cwd=folder)
        watchdog = threading.Timer(limit, self.process.kill)
        watchdog.daemon = True
        watchdog.start()
        self.number = 1_000_000
        self.capabilities = capabilities or {}
        if initializes:
            self.initialize()

    def initialize(self):
        client = {"name": "c", "version": "1"}
        parameters = {"protocolVersion": "2025-06-18", "capabilities": self.capabilities, "clientInfo": client}
        check("result" in self.call("initialize", parameters), "initialize failed")
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def next(self):
        line = self.process.stdout.readline()
        check(line, "The host has ended.")
        return json.loads(line)

    def call(self, method, parameters=None):
        """Sends a request, and returns its answer; others before it are left out."""
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method}
        if parameters is not None:
            message["params"] = parameters
        self.send(message)
        while True:
            answer = self.next()
            if "method" in answer:
                self.receive(answer)
            elif answer.get("id") == self.number:
                return answer

    def receive(self, message):
        """Leaves out a notification or a request of the host; overridden where it is answered."""

    def ask(self, data):
        """Writes bytes, and returns the next answer."""
        self.write(data)
        return self.next()

    def end(self):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        return rest, self.process.wait(LIMIT)
