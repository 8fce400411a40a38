#!/usr/bin/env python3
"""Enters and leaves each screen 10,000 times, each screen in its own host, and checks for leaks.

    screens.py HOST CONFIGURATION      (the built host, and the modules.json that it loads)

Afterwards no view model may be alive, and memory must not grow from round to round. Memory that is
allocated once, such as a doubled buffer or a pool, shows in one or two rounds; a leak shows in all of them.
The measure is therefore the median growth of the rounds after the first: leaking the smallest object on each
visit would add 32 kB a round. Prints a line for each screen; exits 1 if one fails.
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
# In kB a round; the median growth of a screen without a leak is 0.
ALLOWED = 8
SIGN_UP = "session sign-up --email eve@example.org --password 'correct horse 9'"


class Host:
    def __init__(self, program, configuration, folder):
        self.process = subprocess.Popen(
            [program, "--data", folder, "--config", configuration, "--env", "mock", "--json", "--keep-going"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def run(self, lines):
        """Sends lines to the host and returns their results."""
        text = "".join(line + "\n" for line in lines)
        writer = threading.Thread(target=lambda: (self.process.stdin.write(text), self.process.stdin.flush()))
        writer.start()
        answers = [json.loads(self.process.stdout.readline()) for _ in lines]
        writer.join()
        return answers

    def memory(self):
        """The resident memory of the host, in kB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)


def measure(program, configuration, link):
    """Enters and leaves a screen repeatedly; returns whether it passes."""
    with tempfile.TemporaryDirectory(prefix="atrium-endurance-") as folder:
        host = Host(program, configuration, folder)
        try:
            answers = host.run([SIGN_UP])
            memory = []
            for _ in range(ROUNDS):
                # In batches, because queued lines take memory too.
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
