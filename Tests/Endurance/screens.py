#!/usr/bin/env python3
"""Enters and leaves each screen of the modules 10,000 times in a host of its own, and looks at what stays.

    screens.py HOST CONFIGURATION      (the built host, and the modules.json that it loads)

Afterwards no view model may be alive, and memory must not grow from round to round. What is kept once, a buffer
that doubles or a pool, shows in one round or two; what is kept each time shows in all. So the measure is the
median growth of the rounds after the first: the smallest object, kept each time, would be 32 kB a round. Prints
a line for each screen; exits 1 if one fails.
"""
import json
import statistics
import subprocess
import sys
import tempfile
import threading

LINKS = [
    "entities", "entities/1", "entities/new", "entities/categories", "session", "session/sign-up", "profile",
    "profile/edit", "profile/notifications", "users"]
ROUNDS, TIMES, PART = 10, 1_000, 500
# In kB a round; the rounds of a screen that keeps nothing grow by 0 in the median.
ALLOWED = 8
SIGN_UP = "session sign-up --email eve@example.org --password 'correct horse 9'"


class Host:
    def __init__(self, program, configuration, folder):
        self.process = subprocess.Popen(
            [program, "--data", folder, "--config", configuration, "--env", "mock", "--json", "--keep-going"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def run(self, lines):
        """Gives the host lines; returns their answers."""
        text = "".join(line + "\n" for line in lines)
        writer = threading.Thread(target=lambda: (self.process.stdin.write(text), self.process.stdin.flush()))
        writer.start()
        answers = [json.loads(self.process.stdout.readline()) for _ in lines]
        writer.join()
        return answers

    def memory(self):
        """What the host has resident, in kB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


def measure(program, configuration, link):
    """Enters and leaves a screen; returns whether nothing stays."""
    with tempfile.TemporaryDirectory(prefix="atrium-endurance-") as folder:
        host = Host(program, configuration, folder)
        try:
            answers = host.run([SIGN_UP])
            memory = []
            for _ in range(ROUNDS):
                # In parts: lines that wait to be run take memory too.
                for _ in range(TIMES // PART):
                    answers += host.run([f"open {link}", "back"] * PART)
                memory.append(host.memory())
            alive = host.run(["nav alive"])[0]["result"]["count"]
        finally:
            host.end()
    failed = sum(not answer["ok"] for answer in answers)
    growth = statistics.median(after - before for before, after in zip(memory, memory[1:]))
    print(f"{link}: {memory} kB, {growth} kB a round; {alive} view models alive; {failed} commands failed")
    return failed == 0 and alive == 0 and growth <= ALLOWED


if __name__ == "__main__":
    sys.exit(0 if all([measure(*sys.argv[1:3], link) for link in LINKS]) else 1)
