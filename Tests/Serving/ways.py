#!/usr/bin/env python3
"""Runs the lines of Tests/Serving/lines in five ways, as text and as JSON, and compares what is printed.

    Tests/Serving/ways.py [--host FILE] [--modules DIR]

Alone: as the text of -c, as a script file, on standard input; beside a host that serves: as the text of -c, and by
attach on standard input. Exits 1 with the differences if two ways differ; Docs/serving.md names those that may.
"""

import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parent))
from serving import RELEASE, Host, expect  # noqa: E402: must follow the line above

LINES = (pathlib.Path(__file__).parent / "lines").read_text()
FILES = {
    "part": "where\nnosuch\n", "secret": "wrong\n", "ada": "difference engine\n",
    "rows.csv": "name,category\nDesk,tables\nStool,\n", "bad.csv": "name,category\n,seats\n",
    "semicolon.csv": "name;category\nBench;seats\n", "utf16.csv": "name\nBench\n", "rows.txt": "name\nBench\n",
}
# What no two runs have in common.
VARYING = [
    (r"\b\d+([.,]\d+)? (µs|ms|s|KB|MB|KiB|MiB)\b", "N UNIT"), (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?( UTC|Z)", "TIME"),
    (r'"(microseconds|size|bytes|process)":\d+', r'"\1":N'),
]


def ways():
    """The words of each way, and its standard input."""
    text = {"-c": (["-c", LINES], ""), "file": (["run", "script"], ""), "input": ([], LINES)}
    for name, given in text.items():
        yield f"alone, {name}", False, given
    yield "attached, -c", True, text["-c"]
    yield "attached, attach", True, (["attach"], LINES)


def run(options, is_served, words, lines, form):
    with tempfile.TemporaryDirectory(prefix="atrium-") as folder:
        host = Host(options, pathlib.Path(folder))
        host.configure("mock")
        place = host.folder / "place"
        place.mkdir()
        (place / "script").write_text(LINES)
        for file, text in FILES.items():
            (place / file).write_text(text, encoding="utf-16" if file.startswith("utf16") else None)
        if is_served:
            host.start()
        try:
            done = subprocess.run(
                host.command("--keep-going", *form, *words), input=lines, cwd=place, text=True, timeout=60,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "PAGER": "cat"})
            made = [f"{file.name}: {file.read_bytes()!r}" for file in sorted(place.iterdir()) 
                    if file.name not in {*FILES, "script"}]
        finally:
            host.stop()
    text = done.stdout.replace(str(folder), "FOLDER")
    for pattern, constant in VARYING:
        text = re.sub(pattern, constant, text)
    return [*text.splitlines(), f"exit code {done.returncode}", *made]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", type=pathlib.Path, default=RELEASE / "atrium")
    parser.add_argument("--modules", type=pathlib.Path, default=RELEASE)
    options = parser.parse_args()
    options.host, options.modules = options.host.absolute(), options.modules.absolute()
    has_failed = False
    for form in ([], ["--json"]):
        first = None
        for name, is_served, (words, lines) in ways():
            printed = run(options, is_served, words, lines, form)
            if first is None:
                first = printed
                expect(len(first) > 200, "\n".join(first))
            difference = list(difflib.unified_diff(first, printed, "alone, -c", name, lineterm="", n=2))
            has_failed = has_failed or bool(difference)
            print("\n".join([f"{'FAILED' if difference else 'ok'} {name} {' '.join(form)}", *difference]), flush=True)
    sys.exit(1 if has_failed else 0)


if __name__ == "__main__":
    main()
