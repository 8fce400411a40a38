"""What the scripts with PostgreSQL share: a server, and hosts that serve one database together."""

import json
import subprocess
import sys
import time
import urllib.parse

from faults import ROOT, Failed

SERVER = ROOT / "Demos" / "postgres" / "server.py"
PATIENCE = 60
"""The time limit for whatever a host is waited for, in seconds."""


class Database:
    """A server of its own, in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.url = self.call("start")

    def call(self, word):
        return subprocess.run(
            [sys.executable, SERVER, word, self.folder], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def restart(self):
        self.call("kill")
        self.call("start")

    def role(self, name):
        """Makes a role that may do all; returns the URL with it."""
        self.sql(f'CREATE ROLE "{name}" SUPERUSER LOGIN')
        return self.url.replace("user=atrium", f"user={name}")

    def client(self, program, *arguments, text=""):
        """Runs one of PostgreSQL's programs; returns its output."""
        sockets = urllib.parse.parse_qs(self.url.partition("?")[2])["host"][0]
        run = subprocess.run([program, "-h", sockets, "-U", "atrium", *arguments, "atrium"], input=text,
                             capture_output=True, text=True)
        if run.returncode != 0:
            raise Failed(f"{program} fails: {run.stderr}")
        return run.stdout

    def sql(self, text):
        """Runs statements; returns the fields of each row."""
        output = self.client("psql", "-v", "ON_ERROR_STOP=1", "-qAt", text=text)
        return [line.split("|") for line in output.splitlines()]

    def dump(self, schema):
        """The statements that make a schema as it is now."""
        return self.client("pg_dump", "--inserts", "-n", f'"{schema}"')


class Client:
    """Sends lines to a host, and reads a reply to each."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen([*command, "--json", "--keep-going"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **options)

    def send(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def reply(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed(f"the host ended: exit status {self.process.wait()}")
        return json.loads(line)

    def ask(self, line):
        self.send(line)
        return self.reply()

    def make(self, line):
        """Makes a change, which has to succeed."""
        if not (reply := self.ask(line))["ok"]:
            raise Failed(f"'{line}' fails: {reply['error']}")
        return reply["result"]

    def close(self):
        self.process.kill()
        self.process.communicate()


class ServingHost:
    """A host that serves others, with the data folder `folder`."""

    def __init__(self, executable, configuration, folder, url):
        self.executable, self.folder, self.errors = executable, folder, folder.with_suffix(".err")
        self.command = [executable, "serve", "--data", folder, "--config", configuration, "--database", url]
        self.process = None

    @property
    def name(self):
        return self.folder.name

    def start(self):
        """Starts it, and waits until it answers."""
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=self.errors.open("w"))
        until(lambda: self.run("where").returncode == 0, f"{self.name} serves")

    def attach(self):
        return Client([self.executable, "attach", "--data", self.folder])

    def run(self, line):
        """Runs lines as a client of their own."""
        return subprocess.run([self.executable, "attach", "--data", self.folder, "-c", line], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True)

    def notes(self):
        """What it has written to standard error since its start."""
        return self.errors.read_text().splitlines()

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def until(condition, what, seconds=PATIENCE):
    """Waits for a condition; returns the seconds that it took."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise Failed(f"not within {seconds} s: {what}")
        time.sleep(0.05)
    return time.monotonic() - began
