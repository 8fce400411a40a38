"""Sends a host numbers at and beyond their bounds: by options, as a client, as a program; `bounds.py` runs it.

Each function takes a site and yields what was sent, the number, and a list of what was wrong.
"""

import json
import re
import subprocess
import sys
import threading
import time

import faults

sys.path.append(str(faults.ROOT / "Examples" / "Clients"))
from atrium_client import Atrium  # noqa: E402: must follow the line above

EDGES = [sign * (2 ** power) + step for power in (31, 53, 63) for sign in (1, -1) for step in (-1, 0, 1)]
NUMBERS = ["0", "-0", "1", "-1", *map(str, EDGES), str(2 ** 64), "1e308", "-1e308", "1e400", "4.9e-324", "1.5", "NaN",
           '"NaN"', "9" * 30]
PATIENCE = 10
"""The time limit of a host, in seconds."""
CODES = {0, 1, 2, 3, 4}
"""The exit codes of --help that no signal and no module causes."""


def rows(run):
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


def ends(run):
    """What is wrong with the end of any host."""
    if run.returncode not in CODES:
        return [f"exit status {run.returncode}: {run.stderr.strip()[-300:]}"]
    return [f"an unexpected error: {row['command']}: {row['error']['message'][:200]}" for row in rows(run)
            if row.get("error", {}).get("code") == "unexpected"]


def options(site, every):
    """Gives each option that takes a number each of them."""
    found = sorted(set(re.findall(r"^  (--[a-z-]+) (SECONDS|COLUMNSxROWS)\b", site.run(site.host, "--help").stdout,
                                  re.MULTILINE)))
    assert len(found) == 5, found
    transcript = site.folder / "one.transcript"
    transcript.write_text("main> where\n")
    cases = [(option, form.format(number.strip('"'))) for option, kind in found for number in NUMBERS
             for form in (["{}x24", "80x{}"] if kind == "COLUMNSxROWS" else ["{}"])]
    for option, value in cases[::every]:
        words = (site.command(f"{option}={value}", "-c", "where; entities list") if option != "--timeout" else
                 [site.host, "--config", site.folder / "modules.json", f"{option}={value}", "test", transcript])
        try:
            run = site.run(*words)
        except subprocess.TimeoutExpired:
            yield option, value, [f"did not end within {PATIENCE} s"]
            continue
        unnamed = run.returncode == 2 and option not in run.stderr
        yield option, value, ends(run) + ([f"refused without its name: {run.stderr.strip()}"] if unnamed else [])


# A line of a client, with NUMBER where it has one; all but 'hello' follow it.
HELLO = ('{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"json":true,"terminal":true,"person":true,'
         '"columns":80,"rows":24,"errorColumns":80,"promptRows":1}}')
LINES = [
    *(re.sub(rf'("{key}"):\d+', r"\1:NUMBER", HELLO) for key in ("protocol", "columns", "rows", "errorColumns", "id")),
    '{"jsonrpc":"2.0","id":7,"method":"complete","params":{"line":"entities cre","cursor":NUMBER}}',
    *('{"jsonrpc":"2.0","id":7,"method":"resize","params":{"columns":%s,"rows":%s,"promptRows":%s}}' % sizes
      for sizes in (("NUMBER", 24, 1), (80, "NUMBER", 1), (80, 24, "NUMBER"))),
    '{"jsonrpc":"2.0","id":NUMBER,"method":"run","params":{"line":"entities list"}}',
    '{"jsonrpc":"2.0","id":7,"method":"run","params":{"line":"entities list --page NUMBER --size NUMBER"}}',
    '{"jsonrpc":"2.0","id":7,"method":"cancel","params":{"all":NUMBER}}',
    '{"jsonrpc":"2.0","id":NUMBER,"result":{"value":NUMBER,"more":NUMBER}}',
]
PROGRAM_LINES = [
    '{"jsonrpc":"2.0","id":NUMBER,"method":"ping"}',
    '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":NUMBER}}',
    '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"NUMBER"}}',
    '{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"atrium:///entities/NUMBER"}}',
    '{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"atrium:///entities?page=NUMBER&size=NUMBER"}}',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"health","_meta":{"progressToken":NUMBER}}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":NUMBER}}',
]
CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"%s","arguments":{"%s":NUMBER}}}'
PING = '{"jsonrpc":"2.0","id":"end","method":"ping"}'
START = ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
         '"clientInfo":{"name":"c","version":"1"}}}', '{"jsonrpc":"2.0","method":"notifications/initialized"}']


def answers(write, read, last):
    """Writes the last line, and reads up to its answer; false if there is none."""
    try:
        write((last + "\n").encode())
        return any(json.loads(line).get("id") == "end" for line in read)
    except OSError:
        return False


class Raw(Atrium):
    """A client that says nothing by itself."""

    def request(self, method, **parameters):
        self.socket.settimeout(PATIENCE)


def socket(site, every):
    """Sends a host each number in each line of a client; then it still answers, and ends in order."""
    host = subprocess.Popen(site.command("serve"), stderr=subprocess.PIPE, text=True, cwd=site.folder)
    end = '{"jsonrpc":"2.0","id":"end","method":"complete","params":{"line":"wh","cursor":2}}'
    while not (site.folder / "data" / "host.sock").exists() and host.poll() is None:
        time.sleep(0.02)
    for line, number in [(line, number) for line in LINES for number in NUMBERS][::every]:
        is_first = '"hello"' in line
        with Raw(site.folder / "data") as client:
            for text in [*([] if is_first else [HELLO]), line.replace("NUMBER", number)]:
                client.socket.sendall((text + "\n").encode())
            # A first line that is wrong ends the connection.
            answered = answers(client.socket.sendall, client.lines, end) or is_first
        yield line[:120], number, [] if answered and host.poll() is None else ["no answer"]
    with Atrium(site.folder / "data") as client:
        yield "where", "", [] if client.run("where")[0]["ok"] else ["fails"]
    host.terminate()
    status, said = host.wait(PATIENCE), host.stderr.read()
    yield "the end", "", [] if status == 0 else [f"exit status {status}: {said[-300:]}"]


def mcp(site, every):
    """Sends a host each number in each line of a program, and in each number of its tools."""
    host = subprocess.Popen(site.command("mcp", "--alone", "--allow", "destroys"), stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=site.folder, bufsize=0)
    timer = threading.Timer(PATIENCE * 12, host.kill)
    timer.start()
    reader = iter(host.stdout.readline, b"")
    for text in [*START, '{"jsonrpc":"2.0","id":"tools","method":"tools/list"}']:
        host.stdin.write((text + "\n").encode())
    tools = next(found for found in map(json.loads, reader) if found.get("id") == "tools")["result"]["tools"]
    calls = [CALL % (tool["name"], key) for tool in tools
             for key, rule in tool["inputSchema"].get("properties", {}).items()
             if rule.get("type") in ("integer", "number") and tool["name"] != "live"]
    assert len(calls) > 5, calls
    for line, number in [(line, number) for line in PROGRAM_LINES + calls for number in NUMBERS][::every]:
        # A text stays one.
        sent = line.replace("NUMBER", number.strip('"') if re.search(r'"[^"]*NUMBER[^"]*"', line) else number)
        answered = answers(host.stdin.write, reader, f'{sent}\n{PING}')
        yield line, number, [] if answered else [f"no answer, exit status {host.wait(PATIENCE)}"]
        if not answered:
            break
    timer.cancel()
    host.stdin.close()
    yield "the end", "", [] if host.wait(PATIENCE) == 0 else [f"exit status {host.returncode}"]
