#!/usr/bin/env python3
"""Makes a change in environment live at each front end, with each thing that can become of it.

    Tests/Process/outcomes.py [--host FILE] [--modules DIR] [STEP …]

Whether the change was made, was not made, or is not known, each front end says the same, by its exit code, in text and
in JSON. Only a change that was not made is offered to be entered again. Prints each step; exits 1 if one failed.
"""

import dataclasses
import http.server
import json
import pathlib
import sys
import threading
import urllib.request

sys.dont_write_bytecode = True
sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("Serving", "Torture")]
import rotation  # noqa: E402: must follow the lines above
from fronts import Run, chosen, main  # noqa: E402
from serving import expect, expect_equal  # noqa: E402

NAME = "x"
LINE = f"entities create --name {NAME}"
MADE, NOT_MADE, UNKNOWN = "made", "not made", "not known"


SIGN_IN = f"session sign-in --email {rotation.EMAIL} --password '{rotation.PASSWORD}'"
RECORD = {"id": 7_007, "name": NAME, "category": None, "notes": None,
          "createdAt": "2026-11-29T12:00:00Z", "updatedAt": "2026-11-29T12:00:00Z"}


@dataclasses.dataclass(eq=False)
class Case:
    """How the server answers the change, and what has become of it then."""
    words: str
    outcome: str
    status: int
    code: str = "unknownOutcome"
    body: bytes = b"{}"
    is_cut: bool = False
    """Whether the connection is closed after the body, which is all that is sent."""


def body(**values):
    return json.dumps(RECORD | values).encode()


UNREADABLE_RESULT = Case("303 to a result that can't be read", MADE, 303)
UNREACHABLE = Case("a server that can't be reached", NOT_MADE, 0, "serviceUnavailable")
CASES = [
    Case("201", MADE, 201, body=body()), UNREADABLE_RESULT,
    Case("400", NOT_MADE, 400, "createFailed"), Case("403", NOT_MADE, 403, "createFailed"),
    Case("409", NOT_MADE, 409, "createFailed"), Case("413", NOT_MADE, 413, "createFailed"), Case("422", NOT_MADE, 422, "createFailed"),
    Case("429", NOT_MADE, 429, "createFailed"),
    Case("no answer", UNKNOWN, 0, is_cut=True, body=b""),
    Case("half an answer", UNKNOWN, 0, is_cut=True, body=b"HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{"),
    Case("no HTTP", UNKNOWN, 0, is_cut=True, body=b"220 mail.example.com ESMTP\r\n"),
    Case("302", UNKNOWN, 302), Case("408", UNKNOWN, 408), Case("499", UNKNOWN, 499), Case("500", UNKNOWN, 500),
    Case("503", UNKNOWN, 503),
    Case("an answer that can't be read", UNKNOWN, 201, body=b"[]"),
    Case("an answer about another record", UNKNOWN, 201, body=body(name="y")),
    UNREACHABLE,
]


class Proxy:
    """Passes everything on to the reference server, but for changes, which it answers as a case says."""

    def __init__(self, case=None):
        self.case, self.behind = case, rotation.Server(life=86_400)
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                if proxy.case is UNREADABLE_RESULT and self.path.endswith(f"/entities/{RECORD['id']}"):
                    return self.answer(500, b"{}")
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name: value for name, value in self.headers.items() if name != "Host"}
                request = urllib.request.Request(proxy.behind.url + self.path, body or None, headers, method=self.command)
                try:
                    with urllib.request.urlopen(request) as answer:
                        self.answer(answer.status, answer.read(), answer.headers)
                except urllib.error.HTTPError as answer:
                    self.answer(answer.code, answer.read(), answer.headers)

            def do_POST(self):
                if proxy.case is None or not self.path.endswith("/entities"):
                    return self.do_GET()
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.close_connection = proxy.case.is_cut
                if proxy.case.is_cut:
                    self.wfile.write(proxy.case.body)
                else:
                    self.answer(proxy.case.status, proxy.case.body)

            def answer(self, status, body, headers=None):
                self.send_response(status)
                for name, value in (headers or {"Content-Type": "application/json"}).items():
                    if name in ("Content-Type", "ETag", "WWW-Authenticate"):
                        self.send_header(name, value)
                if 300 <= status < 400:
                    self.send_header("Location", f"/v1/entities/{RECORD['id']}")
                self.send_header("Content-Length", str(len(body)))
                # A connection that is kept would outlive the server.
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        """From now on nothing can connect."""
        self.server.shutdown()
        self.server.server_close()

    def close(self):
        self.end()
        self.behind.close()


def each_front_end_says_what_became_of_the_change(host):
    proxy = Proxy()
    try:
        host.configure("live")
        configuration = json.loads(host.configuration.read_text())
        host.configuration.write_text(json.dumps(configuration | {
            "api": {"url": proxy.url, "attempts": 1}, "modules": [*configuration["modules"], {"name": "HTTPTransport"}]}))
        done = host.run("-c", SIGN_IN)
        expect_equal(done.returncode, 0, f"the exit code of the sign-in: {done.stderr}")
        fronts = [script, json_script, pipe, prompt, mcp]
        try_all(host, proxy, fronts)
        host.start()
        try_all(host, proxy, [attach, json_attach, program], last=UNREACHABLE)
        expect_equal(host.stop(), 0, "the exit code of the host")
    finally:
        proxy.close()


def try_all(host, proxy, fronts, last=None):
    for front in fronts:
        for proxy.case in chosen(host, [case for case in CASES if case is not UNREACHABLE]):
            check(host, proxy.case, front)
    if last:
        proxy.end()
        for front in fronts:
            check(host, last, front)
    print(f"  {', '.join(front.__name__ for front in fronts)}: {len(CASES)} cases", flush=True)


def check(host, case, front):
    is_error, code, text = front(host)
    what = f"{front.__name__}, {case.words}: {text}"
    expect_equal(is_error, case.outcome != MADE, f"an error, {what}")
    expect(("not known" in text) == (case.outcome == UNKNOWN), what)
    expect((f"Created '{NAME}'" in text) == (case.outcome == MADE), what)
    expect(case.outcome == NOT_MADE or "again" not in text, f"to be entered again, {what}")
    expect(case.outcome == MADE or code in (None, case.code), f"code {code}, {what}")


# Each front end: whether it ends with an error, the code of the error if it says one, and all that it says.

def run(host, front, *words):
    plain = host.command
    host.command = lambda *more: [*plain(*words), *more]
    done = Run(host, front, line=LINE)
    host.command = plain
    return done.code, done.output + done.said


def script(host):
    status, text = run(host, "script")
    return ended(status, text), None, text


def pipe(host):
    status, text = run(host, "pipe")
    return ended(status, text), None, text


def attach(host):
    status, text = run(host, "attach")
    return ended(status, text), None, text


def json_script(host):
    status, text = run(host, "script", "--json")
    return replied(ended(status, text), json.loads(text.splitlines()[0]), text)


def json_attach(host):
    status, text = run(host, "attach", "--json")
    return replied(ended(status, text), json.loads(text.splitlines()[0]), text)


def prompt(host):
    """A command that fails does not end it."""
    status, text = run(host, "prompt")
    expect_equal(status, 0, f"the exit code, {text}")
    text = " ".join(text.split())
    return "error:" in text, None, text


def mcp(host):
    status, text = run(host, "mcp")
    expect_equal(status, 0, f"the exit code, {text}")
    reply = json.loads(text.splitlines()[1])["result"]
    return reply["isError"], (reply["structuredContent"].get("error") or {}).get("code"), text


def program(host):
    with host.attach() as client:
        reply = client.run(LINE)[0]
    return replied(not reply["ok"], reply, json.dumps(reply))


def ended(status, text):
    expect(status in (0, 1), f"the exit code {status}, {text}")
    return status == 1


def replied(is_error, reply, text):
    expect_equal(reply["ok"], not is_error, text)
    return is_error, reply.get("error", {}).get("code"), text


if __name__ == "__main__":
    sys.exit(main(__doc__, [each_front_end_says_what_became_of_the_change], []))
