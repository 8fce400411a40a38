#!/usr/bin/env python3
"""A private PostgreSQL server, to try modules on and for tests.

    Demos/postgres/server.py start [FOLDER]     make the server's folder if there is none, start it, print its URL
    Demos/postgres/server.py stop [FOLDER]      stop it; clients are disconnected
    Demos/postgres/server.py kill [FOLDER]      end all its processes at once, as a crash does
    Demos/postgres/server.py url [FOLDER]       print its URL
    Demos/postgres/server.py run                run one in a folder of its own until SIGTERM, and remove it
    Demos/postgres/server.py run COMMAND…       … until a command ends, which has the URL in ATRIUM_TEST_DATABASE

It listens on a Unix socket in FOLDER (default: .build/postgres) alone, which only the server's user can reach, and
root: whoever starts it, or the user postgres if that is root. It has a database 'atrium'. Needs the programs of Debian's
package postgresql, any version from 13 on.
"""

import contextlib
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

DEFAULT = pathlib.Path(__file__).resolve().parents[2] / ".build" / "postgres"
SETTINGS = {
    "listen_addresses": "''", "unix_socket_permissions": "0700", "logging_collector": "off",
    "log_destination": "'stderr'", "max_connections": "400", "timezone": "'UTC'", "lc_messages": "'C'",
}


class Failed(Exception):
    """The server can't be started or stopped; a sentence for the person."""


def programs():
    """The folder with the programs of the newest version."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if not found:
        raise Failed("There is no PostgreSQL server on this machine; install it: apt-get install postgresql")
    return found[-1].parent


class Server:
    """The server of a folder."""

    def __init__(self, folder=DEFAULT):
        self.folder = pathlib.Path(folder).resolve()
        self.data = self.folder / "data"
        self.sockets = self.folder / "socket"
        self.log = self.folder / "log"

    @property
    def url(self):
        return f"postgresql:///atrium?host={urllib.parse.quote(str(self.sockets), safe='/')}&user=atrium"

    def owned(self, *words):
        """The command as the user who owns the server: it refuses to run as root."""
        if os.geteuid() != 0:
            return list(map(str, words))
        return ["runuser", "-u", "postgres", "--", *map(str, words)]

    def call(self, *words):
        run = subprocess.run(
            self.owned(*words), cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)
        if run.returncode:
            last = self.log.read_text(errors="replace")[-2_000:] if self.log.exists() else ""
            raise Failed(f"'{pathlib.Path(words[0]).name}' failed: {run.stdout.strip()}\n{last}".strip())
        return run.stdout

    def start(self):
        """Starts the server, unless it runs; returns its URL."""
        if self.process() is not None:
            return self.url
        if len(str(self.sockets)) > 90:
            raise Failed(f"The path of a socket has at most 107 bytes, so '{self.folder}' is too long.")
        self.make()
        self.call(programs() / "pg_ctl", "start", "--wait", "--silent", "--pgdata", self.data, "--log", self.log)
        return self.url

    def make(self):
        if (self.data / "PG_VERSION").exists():
            return
        for folder in (self.folder, self.sockets):
            folder.mkdir(parents=True, exist_ok=True)
            if os.geteuid() == 0:
                owner = pwd.getpwnam("postgres")
                os.chown(folder, owner.pw_uid, owner.pw_gid)
        for parent in self.folder.parents:
            if os.geteuid() == 0 and not parent.stat().st_mode & 1:
                raise Failed(f"The user postgres can't reach '{self.folder}': '{parent}' is closed to others.")
        self.call(programs() / "initdb", "--pgdata", self.data, "--username", "atrium", "--auth", "trust",
                  "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync")
        settings = SETTINGS | {"unix_socket_directories": "'" + str(self.sockets).replace("'", "''") + "'"}
        with open(self.data / "postgresql.auto.conf", "a", encoding="utf-8") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())
        # The server makes the database itself, so that no client is needed; '-F' does not wait for the disk, as above.
        subprocess.run(
            self.owned(programs() / "postgres", "--single", "-F", "-D", self.data, "postgres"), cwd="/", check=True,
            input="CREATE DATABASE atrium\n", text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def process(self):
        """The process of the server; None if it does not run."""
        try:
            process = int((self.data / "postmaster.pid").read_text().split("\n")[0])
        except (OSError, ValueError):
            return None
        return process if self.runs(process) else None

    @staticmethod
    def runs(process):
        """Whether a process of a server runs, and does not only wait for its parent to take note of its end."""
        try:
            status = pathlib.Path(f"/proc/{process}/stat").read_text()
        except OSError:
            return False
        return "(postgres)" in status and ") Z " not in status

    def stop(self):
        if self.process() is not None:
            self.call(programs() / "pg_ctl", "stop", "--wait", "--silent", "--mode", "fast", "--pgdata", self.data)

    @classmethod
    def run(cls, command):
        """Runs a server of its own until the command ends, or a signal comes; leaves nothing, also if it is killed.

        Returns the command's exit code.
        """
        with tempfile.TemporaryDirectory(prefix="atrium-postgres-") as folder:
            os.chmod(folder, 0o755)
            server = cls(folder)
            server.end_with_this_process()
            ends = {signal.SIGTERM, signal.SIGINT}
            signal.pthread_sigmask(signal.SIG_BLOCK, ends)
            try:
                url = server.start()
                if command:
                    signal.pthread_sigmask(signal.SIG_UNBLOCK, ends)
                    try:
                        return subprocess.call(command, env=os.environ | {"ATRIUM_TEST_DATABASE": url})
                    except OSError as problem:
                        raise Failed(f"'{command[0]}' can't be started: {problem.strerror}") from None
                    except KeyboardInterrupt:
                        return 130
                print("Listening on", url, flush=True)
                signal.sigwait(ends)
                return 0
            finally:
                server.kill()

    def end_with_this_process(self):
        """Has a process of its own wait for the end of this one, however it ends, and end the server then."""
        reader, writer = os.pipe()
        if os.fork() != 0:
            # Never written to: it is closed when this process ends.
            os.close(reader)
            return
        os.setsid()
        os.close(writer)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(null, descriptor)
        os.read(reader, 1)
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
        os._exit(0)

    def kill(self):
        """Ends the server and the processes of its connections, which would stop in order without it."""
        process = self.process()
        if process is None:
            return
        # Stopped first, so that it starts no other one meanwhile.
        os.kill(process, signal.SIGSTOP)
        children = [
            int(child) for path in pathlib.Path(f"/proc/{process}/task").glob("*/children")
            for child in path.read_text().split()]
        for one in [*children, process]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        while any(self.runs(one) for one in [*children, process]):
            time.sleep(0.01)
        # Where nobody waits for it, the dead process would count as a running one.
        for file in (self.data / "postmaster.pid", self.sockets / ".s.PGSQL.5432.lock"):
            file.unlink(missing_ok=True)


def main():
    if sys.argv[1:2] != ["run"] and (
            len(sys.argv) not in (2, 3) or sys.argv[1] not in ("start", "stop", "kill", "url")):
        sys.exit(re.sub(r"(?m)^    ", "  ", __doc__))
    try:
        if sys.argv[1] == "run":
            sys.exit(Server.run(sys.argv[2:]))
        server = Server(*sys.argv[2:])
        if sys.argv[1] == "url":
            print(server.url)
        elif text := getattr(server, sys.argv[1])():
            print(text)
    except Failed as problem:
        sys.exit(f"postgres: {problem}")


if __name__ == "__main__":
    main()
