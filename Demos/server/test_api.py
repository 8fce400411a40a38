#!/usr/bin/env python3
"""Runs Schemathesis over openapi.json, with the reference server or another one; `make test-api` starts it.

The exit status is 0 only if nothing was found that schemathesis_hooks.py does not explain.
"""

import argparse
import contextlib
import json
import os
import pathlib
import secrets
import signal
import subprocess
import sys
import tempfile
import urllib.request

FOLDER = pathlib.Path(__file__).resolve().parent


@contextlib.contextmanager
def reference_server(folder):
    """The address of a new server with its data in a folder, on a free port."""
    command = [sys.executable, FOLDER / "server.py", "--port", "0", "--seed", "--quiet"]
    with subprocess.Popen(
            [*command, "--data", os.path.join(folder, "data.sqlite")], stdout=subprocess.PIPE,
            text=True) as server:
        try:
            yield server.stdout.readline().removeprefix("Listening on ").strip()
        finally:
            server.send_signal(signal.SIGTERM)


def sign_up(url):
    """The variables of schemathesis.toml for a new account."""
    account = {
        "email": f"schemathesis-{secrets.token_hex(6)}@example.com", "password": secrets.token_urlsafe()}
    request = urllib.request.Request(
        f"{url}/v1/users", json.dumps(account).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as response:
        user = json.load(response)["id"]
    return {"API_USER": user, "API_EMAIL": account["email"], "API_PASSWORD": account["password"]}


def main():
    parser = argparse.ArgumentParser(description="Run Schemathesis over openapi.json.")
    parser.add_argument("--url", help="a server whose data may be lost (default: a new reference server)")
    parser.add_argument("--seed", default="1", help="of the generated requests (%(default)s)")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="atrium-api-"))
        url = (arguments.url or stack.enter_context(reference_server(folder))).rstrip("/")
        try:
            variables = sign_up(url)
        except OSError as error:
            sys.exit(f"test_api.py: no account could be created at {url}: {error}.")
        program = pathlib.Path(sys.executable).with_name("schemathesis")
        return subprocess.run(
            [program, "--config-file", FOLDER / "schemathesis.toml", "run", FOLDER / "openapi.json",
             "--url", url, "--seed", arguments.seed],
            cwd=folder, env={**os.environ, **variables, "PYTHONPATH": str(FOLDER)}).returncode


if __name__ == "__main__":
    sys.exit(main())
