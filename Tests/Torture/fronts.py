"""What the scripts of exhaustion share: a line at each front end of the built host."""

import json
import os
import pathlib
import pty
import select
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("Process", "Serving")]
import process  # noqa: E402, F401: must follow the line above
import serving  # noqa: E402
from faults import end_session, parser  # noqa: E402
from process import HANGS  # noqa: E402
from serving import expect  # noqa: E402

PATIENCE = 5
"""So many seconds others may wait for an answer, on a busy machine."""
INITIALIZE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}}) + "\n"
FRONTS = ("script", "pipe", "prompt", "serve", "mcp", "attach")
CREATE = "entities create --name x"


def front_end(name, line):
    """The words and the input that run a line there, and what is printed if it works."""
    works = "Created 'x'" if line == CREATE else "Link "
    call = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "entities_create", "arguments": {"name": "x"}} if line == CREATE else {"name": "host_where"}})
    return {
        "script": (["-c", line], "", works), "pipe": ([], f"{line}\n", works), "prompt": ([], line, works),
        "serve": (["serve"], "", "Ending."),
        "mcp": (["--allow", "changes", "mcp"], f"{INITIALIZE}{call}\n", '"isError":false'),
        "attach": (["attach", "-c", line], "", works)}[name]


def chosen(host, values, count=6):
    """All of them, or in the short form some."""
    values = list(values)
    return values[::max(1, (len(values) - 1) // (count - 1))] if host.options.short else values


class Client(serving.Atrium):
    """Reads why it was refused, though it had still to say something."""

    def send(self, **message):
        try:
            super().send(**message)
        except (BrokenPipeError, ConnectionResetError):
            pass


serving.Atrium = Client


class Run:
    """A line at a front end: the exit code (or 'hangs'), what it printed, and how long it took."""

    def __init__(self, host, front, limits=(), line="where", **streams):
        words, lines, self.works = front_end(front, line)
        command = [*limits, *host.command(*words)]
        self.front, start = front, time.monotonic()
        self.code, self.output, self.said = (at_terminal if front == "prompt" else to_end)(command, lines, **streams)
        self.seconds = time.monotonic() - start

    def expect_told(self, what):
        """It works, or ends with an exit code and a sentence; those from 126 on are said by what loads programs."""
        expect(self.code in (0, 1, 2, 3, 4, 126, 127), f"{what}: {self.code}, {self.said or self.output}")
        expect(self.code == 0 or (self.said or self.output).strip(), f"{what}: {self.code} without a word")
        # A command that failed at a prompt or for a program does not end it.
        works = [self.works, *(["error:", '"error":', '"isError":true'] if self.front in ("prompt", "mcp") else [])]
        text = self.output + self.said
        expect(self.code != 0 or any(sign in text for sign in works), f"{what}: 0, {text}")


def to_end(command, lines, stdout=subprocess.PIPE, stderr=subprocess.PIPE):
    """Runs to the end of its input; what serves gets SIGTERM once it says so."""
    with tempfile.TemporaryFile("w+") as log:
        stderr = log if stderr == subprocess.PIPE else stderr
        run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=stdout, stderr=stderr, text=True)

        def said():
            log.seek(0)
            return log.read()
        if command[-1] == "serve":
            end = time.monotonic() + HANGS
            while run.poll() is None and "Serving" not in said() and time.monotonic() < end:
                time.sleep(0.02)
            run.terminate()
        try:
            output = run.communicate(lines, timeout=HANGS)[0]
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
            return "hangs", "", said()
        return run.returncode, output or "", said()


def at_terminal(command, line, **streams):
    """Enters the line, then 'exit 0', each once there is a prompt."""
    own, theirs = pty.openpty()
    ends = {"stdin": theirs, "stdout": theirs, "stderr": theirs, **streams}
    # The program at a terminal leads a session of its own.
    run = subprocess.Popen(["setsid", "-c", *command], **ends)
    os.close(theirs)
    text, seen, lines, end = "", 0, [line, "exit 0"], time.monotonic() + HANGS
    while time.monotonic() < end:
        if select.select([own], [], [], 0.1)[0]:
            try:
                text += os.read(own, 65536).decode(errors="replace")
            except OSError:
                break
        elif lines and (streams or "home>" in text[seen:]):
            seen = len(text)
            os.write(own, lines.pop(0).encode() + b"\r")
    try:
        code = run.wait(max(0.1, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        code = "hangs"
        end_session(run.pid)
        run.wait()
    os.close(own)
    return code, text, ""


def main(description, steps, roots):
    """Performs the steps of a script; `roots` need root."""
    arguments = parser(description)
    arguments.add_argument("--short", action="store_true", help="fewer of each kind")
    arguments.add_argument("--patience", type=float, default=1, metavar="SECONDS", help="for a sentence (1)")
    arguments.add_argument("steps", nargs="*", metavar="STEP")
    options = arguments.parse_args()
    if os.geteuid() != 0:
        print("not run, as they need root:", ", ".join(step.__name__ for step in roots))
    elif os.environ.get("ATRIUM_DISK_NAMESPACE") != "1":
        # Disks are mounted in a namespace of this process.
        os.environ["ATRIUM_DISK_NAMESPACE"] = "1"
        os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])
    else:
        steps = steps + roots
    steps = [step for step in steps if not options.steps or step.__name__ in options.steps]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="atrium-") as folder:
        for step in steps:
            place = pathlib.Path(folder) / step.__name__
            place.mkdir()
            os.chdir(place)
            failed += not serving.perform(step, serving.Host(options, place))
        os.chdir("/")
    print(f"{len(steps)} steps, {failed} failed")
    return 1 if failed or not steps else 0
