#!/usr/bin/env python3
"""A client of a running Atrium host, and a story that it tells: Docs/protocol.md describes what they say.

    atrium serve --data DIR &
    Examples/Clients/atrium_client.py DIR
"""

import json
import os
import socket
import sys


class Refused(Exception):
    """The host's answer to a request that it did not carry out; `data` has its code and its hint."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.data = error.get("data", {})


class Atrium:
    """A scene of the host that serves a data folder."""

    def __init__(self, folder, **wishes):
        """`wishes` are parameters of 'hello', such as scene="desk"."""
        self.secrets = {}
        self.news = []
        self.output = ""
        self.number = 0
        self.socket = socket.socket(socket.AF_UNIX)
        directory = os.open(folder, os.O_RDONLY)  # the address of a socket has room for 107 bytes only
        self.socket.connect(f"/proc/self/fd/{directory}/host.sock")
        os.close(directory)
        self.lines = self.socket.makefile("r", encoding="utf-8", newline="\n")
        self.welcome = self.request("hello", protocol=1, client="example", json=True, **wishes)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def send(self, **message):
        self.socket.sendall((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())

    def request(self, method, **parameters):
        """Sends a request, and returns its result."""
        self.number += 1
        self.send(id=self.number, method=method, params=parameters)
        for line in self.lines:
            message = json.loads(line)
            if "method" in message:
                self.receive(message)
            elif message["id"] in (self.number, None):
                if "error" in message:
                    raise Refused(message["error"])
                return message["result"]
        raise ConnectionError("The host has ended.")

    def receive(self, message):
        """Keeps what the host tells, and answers what it asks."""
        parameters = message["params"]
        if message["method"] == "output" and parameters["stream"] == "output":
            self.output += parameters["text"]
        elif message["method"] in ("above", "end"):
            self.news.append(parameters.get("text") or parameters["reason"])
        elif "id" in message:
            known = self.secrets if message["method"] == "secret" else os.environ
            self.send(id=message["id"], result={"value": known.get(parameters["name"].removesuffix(", again"))})

    def run(self, line):
        """Runs a line, and returns the object of each command, as `atrium --json` prints it."""
        self.output = ""
        self.request("run", line=line)
        return [json.loads(text) for text in self.output.splitlines()]


def main(folder):
    with Atrium(folder, scene="desk", person=True) as desk, Atrium(folder, person=True) as other:
        print("Scenes:", *(row["name"] for row in desk.run("scenes")[0]["result"]["rows"]))
        print(desk.run("entities create --name Lamp --category Light")[0]["result"]["message"])
        print("The other scene sees", other.run("entities list")[0]["result"]["total"], "entity.")
        desk.secrets["password"] = "Wolke7-Zaunkönig"
        print(desk.run("session sign-up --email ada@example.com")[0]["result"]["message"])
        other.run("where")
        print("The other scene was told:", other.news[0].strip())
        failed = other.run("nosuch")[0]["error"]
        print(failed["code"], "-", failed["message"])
        found = other.request("complete", line="entities cre", cursor=12)
        print("Completed:", *(candidate["text"] for candidate in found["candidates"]))


if __name__ == "__main__":
    main(sys.argv[1])
