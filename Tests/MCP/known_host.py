"""A host with known content, what can be seen of its state, and sessions that know the effects of tools."""

import atexit
import json
import os
import pathlib
import subprocess
import tempfile

from client import LIMIT, Session, check

ORDER = ["reads", "navigates", "changes", "destroys"]
ENVIRONMENT = os.environ | {"PW": "correct horse 9"}
ACCOUNT = {"email": "ada@example.com", "password": "@env:PW"}
FILL = [
    "session sign-up --email ada@example.com --password @env:PW",
    "profile/edit submit --firstName Ada --lastName Byron --age 36",
    *(f"entities create --name '{name}' --category light" for name in ("--yes", "Lamp", "Torch", "Candle")),
]
# Written by reading: logs, what runs, the socket, SQLite's index of readers.
WRITTEN_BY_READING = {"events.jsonl", "atrium.log", "running", "host.sock", "host.lock", "start"}
# Tools that 'destroys' lets show what 'changes' may set.
VALUES = ["host_modules", "host_mock", "host_trace", "host_fault"]
# Tools of changing commands that a read-only session has for the form that only reads.
FORMS = {"host_call", "host_fault", "host_log_level", "host_mock", "host_seed", "host_snapshot", "host_trace"} | {
    f"host_module_{name}" for name in ("configure", "remove", "rollback", "rollout")
}


class Host:
    """A host on a folder with known content, and a client that may do everything.

    `own` is the session of the host's own process if it was started with a permission; otherwise it serves.
    """

    def __init__(self, executable, modules_folder, allow=None):
        self.folder = tempfile.TemporaryDirectory(prefix="atrium-permissions-")
        root = self.root = pathlib.Path(self.folder.name)
        self.data = root / "data"
        modules = [{"name": name} for name in ("Session", "UserProfile", "Entities")]
        configuration = {"searchPaths": [modules_folder], "modules": modules, "environment": "local"}
        (root / "modules.json").write_text(json.dumps(configuration))
        (root / "work").mkdir()
        self.command = [executable, "--data", str(self.data), "--config", str(root / "modules.json")]
        self.processes = []
        self.script("; ".join(FILL))
        if allow:
            self.own = self.session(allow)
        else:
            self.serve()
        self.script("open entities/2", "attach", "--scene", "desk")
        self.reader = self.session("destroys")
        self.links = self.reader.structured("host_links")["rows"]
        user = self.reader.structured("host_show", link="users")["rows"][0]["id"]
        self.screens = {"entities": "entities?size=500", "entities/:id": "entities/2", "users/:id": f"users/{user}"}
        self.tools = self.reader.tools()

    def serve(self):
        process = subprocess.Popen([*self.command, "serve"], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.keep(process)
        while "Serving" not in process.stderr.readline():
            check(process.poll() is None, "The host ended.")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait(LIMIT)
        self.folder.cleanup()

    def keep(self, process):
        """Ends a process with the host, or with the script if that fails."""
        self.processes.append(process)
        atexit.register(process.kill)

    def script(self, line, *arguments):
        """Runs a line, which must succeed."""
        run = subprocess.run(
            [*self.command, *arguments, "-c", line], env=ENVIRONMENT, capture_output=True, text=True, timeout=LIMIT)
        check(run.returncode == 0, line, run.stdout, run.stderr)

    def session(self, allow, **more):
        command = [*self.command, "mcp"] + (["--allow", allow] if allow != "reads" else [])
        session = Tools(command, environment=ENVIRONMENT, folder=self.root / "work", limit=10 * LIMIT, **more)
        self.keep(session.process)
        return session

    def names(self, guarded=False):
        return [row["link"] for row in self.links if row["guards"] or not guarded]

    def screen(self, name):
        return self.screens.get(name, name)

    def files(self):
        """The size, time and node of each file: a file that is written again is another, whatever its bytes."""
        found = {}
        for folder, _, names in os.walk(self.folder.name):
            for name in names:
                if name not in WRITTEN_BY_READING and not name.endswith("-shm"):
                    status = os.lstat(f"{folder}/{name}")
                    found[f"{folder}/{name}"] = (status.st_size, status.st_mtime_ns, status.st_ino)
        return found

    def values(self):
        """The content of every screen, the modules, and the switches of the host."""
        screens = {link: self.reader.structured("host_show", link=self.screen(link)) for link in self.names()}
        kept = [row for row in self.reader.structured("host_scenes")["rows"] if row["name"] == "desk"]
        return screens, [self.reader.structured(name) for name in VALUES], kept

    def state(self):
        values = self.values()  # first: the profile, once read, gives the session its name
        return self.files(), values

    def subjects(self, least, guarded=False):
        """Commands, actions and links with actions of an effect or more, with the screen on which they could act."""
        effects = ORDER[ORDER.index(least):]
        rows = self.reader.structured("host_help")["rows"]
        texts = [(None, row["name"]) for row in rows if row["effect"] in effects and not guarded]
        visitor = self.session("destroys")
        for screen in map(self.screen, self.names(guarded)):
            visitor.open(screen)
            for row in visitor.structured("host_actions").get("rows", []):
                if row["effect"] in effects:
                    name = row["name"]
                    texts += [(screen, name), (None, f"{screen} {name} --yes"), (None, f"{screen}/{name}")]
        visitor.end()
        return texts


class Tools(Session):
    """A session that knows the effects of tools, and answers what it is asked."""

    answer = None
    asked = 0

    def structured(self, name, **arguments):
        answer = self.call("tools/call", {"name": name, "arguments": arguments})
        return answer.get("result", {}).get("structuredContent", answer)

    def tools(self):
        """Its tools by name, with the effect that the annotations declare."""
        tools = self.call("tools/list")["result"]["tools"]
        for tool in tools:
            notes = tool["annotations"]
            tool["effect"] = "reads" if notes["readOnlyHint"] else "destroys" if notes["destructiveHint"] else "changes"
        return {tool["name"]: tool for tool in tools}

    def open(self, link):
        return self.structured("host_nav_replace", link=[link], all=True, force=True)

    def receive(self, message):
        if message["method"] == "elicitation/create":
            self.asked += 1
            self.send({"jsonrpc": "2.0", "id": message["id"]} | self.answer)


def error_of(answer):
    return answer.get("result", {}).get("structuredContent", {}).get("error") or {}


def check_refusal(answer, name, effect, allow):
    """A refusal names the tool, what the session may do, and the option that allows more."""
    error = error_of(answer)
    may = {"reads": "may only read.", "changes": "may only read and change."}[allow]
    does = {"changes": "changes something", "destroys": "destroys something"}[effect]
    check(error.get("code") == "notAllowed", name, answer)
    check(error["message"] == f"'{name}' {does}, but this session {may}", answer)
    check(error["hint"].endswith(f"atrium mcp --allow {effect}"), answer)


def differences(before, now, place=""):
    """The parts of two states that differ, with their places."""
    if isinstance(before, (list, tuple)):
        before, now = dict(enumerate(before)), dict(enumerate(now))
    if not isinstance(before, dict) or not isinstance(now, dict):
        return [] if before == now else [f"{place}: {before} -> {now};"]
    return [
        text for key in {**before, **now} for text in differences(before.get(key), now.get(key), f"{place} {key}")]


def shaped(description, text):
    """A text as the value of an argument, or as its only element."""
    return [text] if description.get("type") == "array" else text


def plain(tool):
    """The least arguments that a tool takes."""
    properties = tool["inputSchema"].get("properties", {})
    required = tool["inputSchema"].get("required", [])
    return {name: properties[name].get("enum", [shaped(properties[name], "2")])[0] for name in required}
