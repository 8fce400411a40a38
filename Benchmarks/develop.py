"""Measures `atrium dev`: from a saved line to the screen, against `swift build` of the same change alone."""
import json
import os
import shutil
import subprocess
import time

from programs import ROOT
from tools import Figure

BATCHES = 5
SDK = os.path.join(ROOT, ".build", "sdk")


def measure(build, folder):
    package = entities(build, os.path.join(folder, "develop"))
    view = os.path.join(package, "Sources/Entities/View/EntityListView.swift")
    ours, reference = [], []
    config = os.path.join(folder, "develop", "modules.json")
    with open(config, "w") as file:
        json.dump({"searchPaths": [build.folder], "modules": [{"name": "Session"}]}, file)
    edits = titles(view)
    for batch in range(BATCHES):
        with Development(build, config, package) as host:
            next(edits)
            start = time.monotonic()
            save(view, *edits.current)
            host.screen(edits.title)
            ours.append(time.monotonic() - start)
        next(edits)
        save(view, *edits.current)
        start = time.monotonic()
        swift("build", "--package-path", package)
        reference.append(time.monotonic() - start)
    return [Figure("a saved line on the screen, module Entities", "swift build", "s", ours, reference)]


def entities(build, folder):
    """A package of its own with the sources of module Entities."""
    os.makedirs(folder)
    run = subprocess.run(
        [build.host, "new", "Stock", "--path", folder], env=os.environ | {"ATRIUM_SDK": SDK}, capture_output=True,
        text=True)
    if run.returncode != 0: raise SystemExit(f"{run.stderr}Run 'make sdk' first.")
    package = os.path.join(folder, "Stock")
    for name in ("Sources/Stock", "Tests"): shutil.rmtree(os.path.join(package, name))
    shutil.copytree(os.path.join(ROOT, "Plugins/Entities"), os.path.join(package, "Sources/Entities"))
    manifest = os.path.join(package, "Package.swift")
    with open(manifest) as file: text = file.read().replace("Stock", "Entities")
    # Without the target of tests, which is the last one.
    with open(manifest, "w") as file: file.write(text[:text.index("        .testTarget(")] + "    ])\n")
    return package


class titles:
    """Titles of the screen, each another one."""
    def __init__(self, view):
        self.number, self.title = 0, "Entities"

    def __next__(self):
        former, self.number = self.title, self.number + 1
        self.title = f"Entities {self.number}"
        self.current = (f'Title("{former}")', f'Title("{self.title}")')


def save(path, text, other):
    """Replaces a text as an editor does: by another file."""
    with open(path) as file: source = file.read()
    if text not in source: raise SystemExit(f"{path} has no {text}")
    with open(path + "~", "w") as file: file.write(source.replace(text, other))
    os.rename(path + "~", path)


def swift(*arguments):
    run = subprocess.run(["swift", *arguments], capture_output=True, text=True)
    if run.returncode != 0: raise SystemExit(run.stdout + run.stderr)


class Development:
    """A host with a package that it builds; use it in a `with` statement."""
    def __init__(self, build, config, package):
        self.process = subprocess.Popen(
            [build.host, "--json", "--config", config, "dev", package], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write("entities\n")
        self.process.stdin.flush()

    def __enter__(self):
        while '"command":"entities"' not in self.process.stdout.readline(): pass
        self.process.stdin.write("open entities\n")
        self.process.stdin.flush()
        self.process.stdout.readline()
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def screen(self, title):
        """Waits until the screen has a title."""
        for line in self.process.stdout:
            if f'"title":"{title}"' in line: return
        raise SystemExit("The host has ended.")
