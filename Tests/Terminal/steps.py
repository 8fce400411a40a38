"""Runs steps at the prompt of the built host and reports each; the scripts in this folder list the steps."""

import argparse
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import traceback

from tmux import Failed, Tmux

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / ".build" / "release"
FIXTURE = ROOT / "Tests" / "Transcripts" / "fixture"


def perform(step, host):
    """Runs a step and reports its result."""
    start = time.monotonic()
    try:
        step(host)
    except Failed as failure:
        print(f"FAILED {step.__name__}: {failure}\n--- screen\n{failure.screen}\n---", flush=True)
        return False
    except Exception:
        print(f"FAILED {step.__name__}\n{traceback.format_exc()}", flush=True)
        return False
    print(f"ok {step.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
    return True


def read_options(description, builds_fixtures):
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--host", type=pathlib.Path, default=RELEASE / "atrium")
    parser.add_argument("--modules", type=pathlib.Path, default=RELEASE)
    if builds_fixtures:
        parser.add_argument("--fixture", type=pathlib.Path, default=FIXTURE)
    parser.add_argument("steps", nargs="*", metavar="STEP")
    return parser.parse_args()


def main(description, steps, kind):
    """Runs the chosen steps, each with a new host, and ends the process.

    `kind` is the class of the hosts; if it has `fixture`, the program that builds modules can be chosen.
    """
    builds_fixtures = hasattr(kind, "fixture")
    options = read_options(description, builds_fixtures)
    if not shutil.which("tmux"):
        sys.exit("The program tmux is missing; install the package 'tmux'.")
    if builds_fixtures:
        kind.fixture = options.fixture.absolute()
    chosen = [step for step in steps if step.__name__ in options.steps] if options.steps else steps
    # The parent process may have blocked signals; and a signal should end tmux too.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    failed = 0
    with tempfile.TemporaryDirectory(prefix="atrium-") as folder, Tmux(pathlib.Path(folder)) as tmux:
        for step in chosen:
            place = pathlib.Path(folder) / step.__name__
            place.mkdir()
            if not perform(step, kind(tmux, options.host.absolute(), options.modules.absolute(), place)):
                failed += 1
    print(f"{len(chosen) - failed} of {len(chosen)} steps passed", flush=True)
    sys.exit(1 if failed or not chosen else 0)
