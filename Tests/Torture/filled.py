"""A data folder with the files that a host keeps, made by real commands, and what a start shows of it."""

import copy
import hashlib
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import subprocess
import time

import faults
import rotation
from servers import Database
from upgrades import FIXTURE

PATIENCE = 5
"""The timeout of a start, in seconds."""
SETUP_PATIENCE = 60
SCENE = "left"
MODULES = ["Session", "UserProfile", "Entities", "HTTPTransport"]
FIXTURES = {"plain": "Plain", "notes-1": "Notes", "notes-2": "Notes", "counter-1": "Counter",
            "journey": "Journey", "traps-in-register": "TrapsInRegister"}
SETUP = [
    f"session sign-up --email {rotation.EMAIL} --password 'correct horse 9'",
    "profile/edit submit --firstName Ada --lastName Lovelace --age 36",
    "entities create --name lamp",
    "module add Plain",
    "module add Notes@=1.0.0",
    "notes add milk",
    "module upgrade Notes",
    "module rollback Notes --restore-data",
    "module configure Entities delay=1",
    "module add {folder}/counter-1",
    "counter increment",
    "open entities",
    "open entities/new",
    "set name draft",
]
REFUSED = "module add {folder}/traps-in-register"
"""Leaves the verdict on a module that can't be tried."""
SIGN_IN = f"session sign-in --email {rotation.EMAIL} --password '{rotation.PASSWORD}'"
LOOKS = {
    "local": "where; session; profile; entities list; notes; counter; module configure Entities; modules; scenes; "
             "history",
    "live": "session; profile; where",
    "shared": "entities list; where",
}
"""What a start is asked, in each environment."""
RESULTS = {
    "where": lambda result: result["link"],
    "session": lambda result: result["email"],
    "profile": lambda result: result.get("firstName"),
    "entities list": lambda result: [row["name"] for row in result["rows"]],
    "notes": lambda result: [text.split()[0] for text in result["text"]],
    "scenes": lambda result: [row["link"] for row in result["rows"] if row["name"] == SCENE],
}
"""The part of a result that each start has; all of it for other commands."""
LARGEST = 100_000_000
"""More than a file of a data folder has; what is larger was made sparse by a damage, and is not read."""
ALWAYS_CHANGED = {"host.lock", "start", "running", "events.jsonl", "atrium.log"}
"""What a start may write before it has read everything, and after it has failed."""


class Filled:
    """The folder `whole`, that of a host with a PostgreSQL database, and `copy`, on which hosts are started."""

    def __init__(self, options, folder):
        self.folder, self.modules, self.host = folder, folder, options.host
        self.whole, self.sharing = folder / "whole", folder / "sharing"
        self.copy, self.repository = folder / "copy", folder / "repository"
        self.preload = faults.library(folder)
        self.make_modules(options)
        self.configuration = folder / "modules.json"
        self.configuration.write_text(json.dumps({
            "searchPaths": [str(options.modules)], "repositories": [str(self.repository)],
            "modules": [{"name": name} for name in MODULES]}))
        self.server = rotation.Server(life=86_400)
        # The database's server has a user of its own.
        folder.chmod(0o755)
        self.database = Database(folder / "server")
        try:
            self.fill()
            self.expected = {}
            for environment in LOOKS:
                self.renew(environment)
                self.expected[environment] = self.seen(self.look(environment), environment)
        except BaseException:
            self.close()
            raise

    def close(self):
        self.server.close()
        self.database.call("kill")

    def make_modules(self, options):
        self.repository.mkdir(mode=0o755)
        for name, library in FIXTURES.items():
            subprocess.run([options.fixture, name, self.modules / name], check=True, stdin=subprocess.DEVNULL)
            if library in ("Plain", "Notes"):
                target = self.repository / f"lib{name}.so"
                shutil.copy(self.modules / name / f"lib{library}.so", target)
                target.chmod(0o644)
        subprocess.run([self.host, "repository", "index", self.repository], check=True, stdout=subprocess.DEVNULL)

    # MARK: - Making it

    def fill(self):
        """Runs the commands; the last hosts end by a signal, and leave a record and a log of a database."""
        self.enter("local", *SETUP)
        self.enter("local", REFUSED, status=3)
        self.enter("live", SIGN_IN, "open entities")
        self.enter("shared", "entities create --name sofa")
        self.enter_at_prompt("entities list")
        with self.started("serve", until="Serving"):
            self.enter("local", "open entities/1", attach=True)
        for name in ("desk", "seat"):
            process = self.begin("local")
            process.stdin.write(f"entities create --name {name}\n")
            process.stdin.flush()
            process.stdout.readline()
            process.send_signal(signal.SIGSEGV)
            process.communicate(timeout=SETUP_PATIENCE)
        (self.whole / "host.sock").unlink(missing_ok=True)

    def words(self, environment, data=None):
        server = {"live": ["--env", "live", "--api", self.server.url],
                  "shared": ["--database", self.database.url]}.get(environment, [])
        return [self.host, "--json", "--keep-going", *server, "--config", self.configuration,
                "--data", data or self.original(environment)]

    def original(self, environment):
        return self.sharing if environment == "shared" else self.whole

    def begin(self, environment, *more):
        return subprocess.Popen(
            [*self.words(environment), *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)

    def enter(self, environment, *lines, status=0, attach=False):
        process = self.begin(environment, *(["attach", "--scene", SCENE] if attach else []))
        lines = "".join(f"{line}\n" for line in lines).format(folder=self.modules)
        output, errors = process.communicate(lines, timeout=SETUP_PATIENCE)
        if process.returncode != status:
            raise faults.Failed(f"the data can't be made: {lines}: {output}{errors}")

    def enter_at_prompt(self, line):
        """Types a line at a terminal, for the history."""
        process, terminal = pty.fork()
        if process == 0:
            os.environ["TERM"] = "dumb"
            os.execv(self.host, [str(word) for word in self.words("local") if word != "--json"])
        for text in (line, "exit"):
            time.sleep(1)
            os.write(terminal, f"{text}\r".encode())
        while True:
            try:
                if not os.read(terminal, 1 << 16):
                    break
            except OSError:
                break
        os.close(terminal)
        os.waitpid(process, 0)

    def started(self, *more, until):
        return Started(self.begin("local", *more), until)

    # MARK: - Using it

    def beside(self, name):
        """The same with another copy, for another thread."""
        other = copy.copy(self)
        other.folder = self.folder / name
        other.folder.mkdir()
        other.copy = other.folder / "copy"
        return other

    def renew(self, environment="local"):
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(self.original(environment), self.copy, symlinks=True)
        if environment == "live":
            # The server may have ended the session of the original.
            (self.copy / "crash").unlink()
            self.look(environment, SIGN_IN)

    def look(self, environment="local", commands=None, descriptors=None, alone=True, **fault):
        """Starts a host on the copy; None if it did not end in time."""
        variables = {**os.environ, **({"LD_PRELOAD": str(self.preload)} if fault else {}), **fault}
        command = [*self.words(environment, self.copy), *(["--alone"] if alone else []),
                   "-c", commands or LOOKS[environment]]
        limit = (lambda: limit_descriptors(*descriptors)) if descriptors else None
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables,
            start_new_session=True, preexec_fn=limit, close_fds=not descriptors)
        try:
            output, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            faults.end_session(process.pid)
            process.communicate()
            return None
        return subprocess.CompletedProcess(
            command, process.returncode, output.decode(errors="replace"), errors.decode(errors="replace").strip())

    def seen(self, run, environment="local"):
        """The data that a start showed, by the command, and the crashes that it has recorded."""
        rows = [json.loads(line) for line in run.stdout.splitlines()] if run else []
        seen = {row["command"]: RESULTS.get(row["command"], lambda result: result)(row["result"])
                for row in rows if row.get("ok")}
        if environment == "local":
            modules = seen.pop("modules", {}).get("rows", [])
            seen |= {f"module {row['name']}": f"{row['version']} {row['state']}" for row in modules}
            seen["crashes"] = self.crashes()
        return seen

    def crashes(self):
        """The number of recorded ends, those that the next start is to record too."""
        path = self.copy / "crashes.json"
        try:
            # A sparse file of 10 GB would take all memory, and a pipe would wait for a writer.
            if not path.is_file() or path.stat().st_size > LARGEST:
                return 0
            return len(json.loads(path.read_text())["crashes"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0

    def content(self, folder=None):
        """Each file of the folder with its content: a digest, or the target of a link."""
        folder, found = folder or self.copy, {}
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if path.is_symlink():
                found[name] = f"link to {os.readlink(path)}"
            elif path.is_file() and path.stat().st_size > LARGEST:
                found[name] = f"{path.stat().st_size} bytes"
            elif path.is_file():
                found[name] = hashlib.blake2b(path.read_bytes()).hexdigest()
            elif not path.is_dir():
                found[name] = "special"
        return found

    def changed(self, before):
        """The names of files that are not as they were, besides those that each start writes."""
        after = self.content()
        return sorted(name for name in {*before, *after}
                      if name not in ALWAYS_CHANGED and before.get(name) != after.get(name))


def ends(run):
    if run is None:
        return [f"did not end within {PATIENCE} s"]
    # 4: a guarded screen is refused, as when nobody is signed in.
    if run.returncode not in (0, 1, 2, 3, 4):
        return [f"exit status {run.returncode}: {run.stderr[:300]}"]
    return []


def is_named(name, run):
    """Whether a message names the file, or the module of a database."""
    name = pathlib.Path(name).name
    if ".sqlite" in name:
        name = f"'{re.split('[-.]', name)[0]}'"
    told = run.stderr + "".join(line for line in run.stdout.splitlines() if '"ok":false' in line or "notices" in line)
    return name in told


def next_start(data, environment, possible, told=True):
    """What the next start lacks: each part is as in one of the states, in the last if nothing was told."""
    run = data.look(environment)
    found = ends(run)
    if found:
        return found
    seen = data.seen(run, environment)
    for part in possible[-1]:
        if seen.get(part) not in [state.get(part) for state in (possible if told else possible[-1:])]:
            found.append(f"the next start has {seen.get(part)} of '{part}': {run.stderr[:300]}")
    left = [name for name in data.content() if "damaged" in name or ".atrium-new-" in name or "atrium-scratch-" in name]
    if left:
        found.append(f"was left: {left}")
    return found


def limit_descriptors(limit, held):
    """Limits this process, and opens what is not open of the first so many; the program that it becomes has both."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    for number in range(3, held):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(0, number)


class Started:
    """A host that runs until the block ends."""

    def __init__(self, process, until):
        self.process, self.until = process, until

    def __enter__(self):
        for line in self.process.stderr:
            if self.until in line:
                return self
        raise faults.Failed(f"the host did not say '{self.until}'")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=SETUP_PATIENCE)
