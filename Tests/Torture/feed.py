#!/usr/bin/env python3
"""Takes from a host the connection on which it hears of others' changes, and reads what others change meanwhile.

    Tests/Torture/feed.py [--host FILE] [--modules DIR] [--ends N]

Two hosts share a PostgreSQL database. The connection's backend is stopped; ended, and the role refused while the pool
lives on; ended with all others. Then `health` fails with exit code 1, a warning comes once, each value that the host
shows is the present one or an error, open screens too, and a user who signs out everywhere is signed out; all ends
with the loss. In the end only the backend is ended, N times, each at the same time as a change: none is missed. Prints
the figures; prints what fails and exits 1 if anything does.
"""

import os
import pathlib
import queue
import signal
import string
import subprocess
import sys
import tempfile
import threading
import time

import faults
from faults import ROOT, Failed
from servers import Client, Database, ServingHost, until

CHECK = "changes of other hosts"
LOST = "warning: This host receives no changes from other hosts"
FOUND = "This host receives changes from other hosts again."
ADA = "--email ada@example.com --password 'correct horse 9'"
LIMIT = 30
"""The time limit for noticing, and for hearing again, in seconds; two and two are usual."""
LOCK_CLASS = 0x6174726D
"""The class of the advisory lock that a connection holds which hears of changes."""
SCREENS = {
    "profile": lambda result: result["firstName"],
    "entities/1": lambda result: result["name"],
    "entities": lambda result: result["rows"][0]["name"],
}
"""Screens that show the value, and where."""


class Feed:
    def __init__(self, options, folder):
        self.database = Database(folder / "server")
        configuration = ROOT / "modules.json"
        self.one = ServingHost(options.host, configuration, folder / "one", self.database.role("one"))
        self.two = Client([options.host, "--data", folder / "two", "--config", configuration,
                           "--database", self.database.role("two")])
        self.reader = None
        self.changes = 0

    def open(self):
        self.one.start()
        self.reader = self.one.attach()
        self.two.make("entities create --name Lamp")
        self.two.make(f"session sign-up {ADA}")
        self.value = self.change()
        self.reader.make(f"session sign-in {ADA}")
        until(lambda: self.shown() == {self.value}, "host one shows the value")

    def close(self):
        for part in (self.reader, self.two, self.one):
            if part:
                part.close()
        self.database.call("kill")

    def change(self):
        """Has host two change the value everywhere; returns it."""
        self.changes += 1
        digits = "".join(string.ascii_lowercase[int(digit)] for digit in str(self.changes))
        value = f"Lamp{digits}"
        self.two.make(f"entities/1 set name {value}")
        self.two.make(f"profile/edit submit --firstName {value} --lastName Lovelace --age 36")
        return value

    def shown(self):
        """What the screens of host one show, errors left out."""
        replies = [(self.reader.ask(screen), find) for screen, find in SCREENS.items()]
        return {find(reply["result"]) for reply, find in replies if reply["ok"]}

    def is_lost(self):
        """Whether health says so."""
        reply = self.reader.ask("health")
        rows = reply["result" if reply["ok"] else "error"]
        return any(row["check"] == CHECK for row in (rows if reply["ok"] else rows["details"])["rows"])

    def backend(self):
        """The server's process for the connection on which host one hears of changes, once there is one."""
        def find():
            return self.database.sql("SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid) "
                                     f"WHERE locktype = 'advisory' AND classid = {LOCK_CLASS} AND usename = 'one'")
        until(lambda: len(find()) == 1, "host one has one connection that hears of changes")
        return int(find()[0][0])

    def end_backends(self, condition="true"):
        self.database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                          f"WHERE usename = 'one' AND {condition}")

    def refuse(self, condition):
        self.database.sql("ALTER ROLE one NOLOGIN")
        self.end_backends(condition)
        return lambda: self.database.sql("ALTER ROLE one LOGIN")

    def stop(self):
        """Stops the backend; returns what lets it go on."""
        backend = self.backend()
        os.kill(backend, signal.SIGSTOP)
        return lambda: os.kill(backend, signal.SIGCONT)

    def lose(self, begin, is_reachable=True):
        """Reads what host two changes, from the loss until after the warning, and again once it has ended."""
        warnings, began, end = self.told(LOST), time.monotonic(), begin()
        try:
            figures = self.read_meanwhile(began, warnings, is_reachable)
            self.check_exit_code(1)
            if is_reachable:
                figures += f", an open screen after {self.live():.1f} s, signed out after {self.sign_out():.1f} s"
        finally:
            end()
        back = until(lambda: not self.is_lost(), "health no longer fails", LIMIT)
        self.check_exit_code(0)
        until(lambda: self.told(FOUND) == warnings + 1, "host one says that it hears of changes again", LIMIT)
        if self.told(LOST) != warnings + 1:
            raise Failed(f"not one warning for each loss: {self.one.notes()}")
        heard = self.hear()
        return f"{figures}, back after {back:.1f} s, a change heard after {heard:.1f} s"

    def read_meanwhile(self, began, warnings, is_reachable):
        noticed = warned = last_stale = None
        stale = fresh = 0
        while warned is None or time.monotonic() < warned + 3:
            was_lost = self.is_lost()
            now = time.monotonic()
            if was_lost:
                noticed = noticed or now
            elif noticed:
                raise Failed("health no longer fails, and the connection is still lost")
            self.value = self.change()
            shown = self.shown()
            if shown != ({self.value} if is_reachable else set()):
                if was_lost:
                    raise Failed(f"{now - began:.1f} s after the loss host one shows {shown}, not {self.value}")
                stale, last_stale = stale + 1, now
            elif was_lost:
                fresh += 1
            if warned is None and self.told(LOST) > warnings:
                warned = time.monotonic()
            if now > began + LIMIT:
                raise Failed(f"after {LIMIT} s health {'fails' if noticed else 'works'} and there is no warning")
            time.sleep(0.05)
        if not noticed or fresh < 3:
            raise Failed(f"there is a warning, and health failed only for {fresh} looks")
        late = f" (the last one after {last_stale - began:.1f} s)" if stale else ""
        return (f"noticed after {noticed - began:.1f} s, warned after {warned - began:.1f} s, {stale} old looks "
                f"before{late}, {fresh} right ones after")

    def told(self, text):
        return sum(line.startswith(text) for line in self.one.notes())

    def check_exit_code(self, wanted):
        run = self.one.run("health")
        if run.returncode != wanted or (CHECK in run.stdout + run.stderr) != bool(wanted):
            raise Failed(f"'health' ends with {run.returncode}, not {wanted}: {run.stdout}{run.stderr}")

    def live(self):
        """Opens a screen on host one; returns how long a change takes to it."""
        process = subprocess.Popen(
            [self.one.executable, "attach", "--data", self.one.folder, "--json", "-c", f"live entities --for {LIMIT}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        lines = queue.Queue()
        threading.Thread(target=lambda: [lines.put(line) for line in process.stdout], daemon=True).start()
        try:
            lines.get(timeout=LIMIT)
            began, self.value = time.monotonic(), self.change()
            while self.value not in lines.get(timeout=LIMIT):
                pass
            return time.monotonic() - began
        except queue.Empty:
            raise Failed("an open screen does not show the change") from None
        finally:
            process.kill()
            process.wait()

    def sign_out(self):
        """Signs out everywhere on host two, and in again; returns how long the first takes to host one."""
        self.two.make("session sign-out-everywhere --yes")
        took = until(lambda: not self.reader.make("session")["signedIn"], "host one is signed out", LIMIT)
        for client in (self.two, self.reader):
            client.make(f"session sign-in {ADA}")
        return took

    def hear(self):
        """Makes a change; returns how long it takes to host one."""
        self.value = self.change()
        return until(lambda: self.shown() == {self.value}, f"host one shows {self.value}", LIMIT)

    def interrupt(self, count):
        """Ends the backend alone, again and again, while host two makes a change."""
        warnings, longest = self.told(LOST), 0
        for _ in range(count):
            thread = threading.Thread(target=self.end_backends, args=(f"pid = {self.backend()}",))
            thread.start()
            longest = max(longest, self.hear())
            thread.join()
        if self.told(LOST) != warnings:
            raise Failed(f"a warning, though it was back at once: {self.one.notes()}")
        return f"{count} times during a change, none missed, the latest one shown after {longest:.1f} s"


def main():
    parser = faults.parser(__doc__)
    parser.add_argument("--ends", type=int, default=100, metavar="N", help="how often the backend alone is ended")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="atrium-feed-") as folder:
        os.chmod(folder, 0o755)
        feed = Feed(options, pathlib.Path(folder))
        parts = {
            "stopped": lambda: feed.lose(feed.stop),
            "refused": lambda: feed.lose(lambda: feed.refuse(f"pid = {feed.backend()}")),
            "shut out": lambda: feed.lose(lambda: feed.refuse("true"), is_reachable=False),
            "ended": lambda: feed.interrupt(options.ends),
        }
        told, failed = [], 0
        try:
            feed.open()
            for name, part in parts.items():
                try:
                    told.append(f"{name}: {part()}")
                except Failed as failure:
                    failed += 1
                    print(f"{name}: {failure}", flush=True)
        finally:
            feed.close()
    print("; ".join([*told, f"{failed} of {len(parts)} failed"]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
