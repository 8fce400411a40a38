#!/usr/bin/env python3
"""Kills the built host at random moments during all writing commands and checks the data afterwards.

    Tests/Torture/kills.py [--host FILE] [--modules DIR] [--seed N] [--kills N]

Acknowledged commands are kept, the running command was performed completely or not at all, nothing else changed,
and the next start reports no problem. Prints the totals; prints the first failure and exits 1 if there is one.
"""

import argparse
import copy
import itertools
import json
import math
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / ".build" / "release"
EXTRA = ROOT / "Examples/Catalog/.build/release/libCatalog.so"
COMMANDS = 400
"""So many in a round that the host is usually killed before it has run all of them."""
LATEST = 0.4
"""The latest moment of a kill, in seconds after the start; a tenth of it after a reply."""
PASSWORD = "correct horse 9"
IMPORTED = 60
QUARANTINED = re.compile(r"Module '(\w+)' is not active: the host ended twice without a record")
KILLED = ("warning: The start before this one ended in module ", "warning: The host before this one ended ")
"""How the host begins to say that the one before was killed; its hint is on the next line."""


class Failed(Exception):
    """A promise of the host was broken."""


class Model:
    """The expected data after the acknowledged commands."""

    def __init__(self):
        self.people = []
        self.person = None
        self.profiles = {}
        self.entities = {}
        self.has_extra = False
        self.stack = ["home"]

    def state(self):
        profile = self.profiles.get(self.person)
        return {"person": self.person, "profile": profile, "entities": sorted(self.entities.items()),
                "extra": self.has_extra}


class Commands:
    """Random commands, each with its effect on the model."""

    def __init__(self, generator, folder):
        self.generator = generator
        self.folder = folder
        self.number = 0

    def next(self, model):
        make = self.generator.choices(
            [self.create, self.set, self.delete, self.delete_some, self.import_rows, self.delete_all, self.sign_up,
             self.sign_in, self.sign_out, self.profile, self.extra, self.open, self.back],
            [30, 15, 8, 4, 3, 0.3, 1, 2, 2, 8, 1, 10, 8])[0]
        return make(model) or self.create(model)

    def unique(self):
        self.number += 1
        return f"n{self.number}"

    def create(self, model):
        name = self.unique()
        return f"entities create --name {name}", lambda model, reply: model.entities.update({name: None})

    def pick(self, model):
        ids = [entry for entry in self.ids.items() if entry[0] in model.entities]
        return self.generator.choice(ids) if ids else None

    def set(self, model):
        if not (picked := self.pick(model)):
            return None
        (name, number), category = picked, self.unique()
        return (f"entities/{number} set category {category}",
                lambda model, reply: model.entities.update({name: category}))

    def delete(self, model):
        if not (picked := self.pick(model)):
            return None
        name, number = picked
        return f"entities/{number} delete", lambda model, reply: model.entities.pop(name)

    def delete_some(self, model):
        ids = [(name, number) for name, number in self.ids.items() if name in model.entities][:3]
        if not ids:
            return None

        def apply(model, reply):
            for name, _ in ids:
                model.entities.pop(name)
        # Several entities are deleted one by one: a kill may leave some of them.
        apply.parts = [name for name, _ in ids]
        return "entities delete " + " ".join(str(number) for _, number in ids), apply

    def import_rows(self, model):
        names = [self.unique() for _ in range(IMPORTED)]
        file = self.folder / f"{names[0]}.csv"
        file.write_text("name\n" + "".join(f"{name}\n" for name in names))
        return (f"entities import '{file}'",
                lambda model, reply: model.entities.update({name: None for name in names}))

    def delete_all(self, model):
        def apply(model, reply):
            model.entities.clear()
        apply.parts = list(model.entities)
        return "entities delete-all", apply

    def sign_up(self, model):
        email = f"{self.unique()}@example.com"

        def apply(model, reply):
            model.people.append(email)
            model.person = email
        return f"session sign-up --email {email} --password '{PASSWORD}'", apply

    def sign_in(self, model):
        if not model.people:
            return None
        email = self.generator.choice(model.people)

        def apply(model, reply):
            model.person = email
        return f"session sign-in --email {email} --password '{PASSWORD}'", apply

    def sign_out(self, model):
        if not model.person:
            return None

        def apply(model, reply):
            model.person = None
        return "session sign-out", apply

    def profile(self, model):
        if not model.person:
            return None
        name = self.unique().upper().translate(str.maketrans("0123456789", "ABCDEFGHIJ"))
        person = model.person
        return (f"profile/edit submit --firstName {name} --lastName Lovelace --age 36",
                lambda model, reply: model.profiles.update({person: name}))

    def extra(self, model):
        if model.has_extra:
            def apply(model, reply):
                model.has_extra = False
            return "module remove Catalog", apply

        def apply(model, reply):
            model.has_extra = True
        return f"module add '{EXTRA}'", apply

    def open(self, model):
        link = self.generator.choice(["entities", "entities/new", "session"])
        return f"open {link}", lambda model, reply: model.stack.append(link)

    def back(self, model):
        if len(model.stack) < 2:
            return None
        return "back", lambda model, reply: model.stack.pop()


class Host:
    def __init__(self, executable, modules, folder):
        self.folder = folder
        self.data = folder / "data"
        configuration = folder / "modules.json"
        configuration.write_text(json.dumps({
            "searchPaths": [str(modules)],
            "modules": [{"name": name} for name in ("Session", "UserProfile", "Entities")]}))
        self.command = [executable, "--json", "--yes", "--keep-going", "--data", self.data, "--config", configuration]

    def run(self, line):
        """Runs commands to their end; a warning or another message on standard error is a failure."""
        run = subprocess.run([*self.command, "-c", line], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=60)
        if names := QUARANTINED.findall(run.stderr):
            # Two kills met commands of one module, which looks as if it had ended the host.
            for name in names:
                subprocess.run([*self.command, "-c", f"module start {name}"], stdin=subprocess.DEVNULL,
                               capture_output=True, timeout=60)
            return self.run(line)
        if problems(run.stderr):
            raise Failed(f"exit status {run.returncode}, reported: {run.stderr.strip()}")
        return [json.loads(row) for row in run.stdout.splitlines()]

    def run_and_kill(self, lines, count, moment):
        """Kills the host `moment` seconds after its reply number `count`; returns the complete replies."""
        process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        timer = threading.Timer(moment, process.kill)
        writer = threading.Thread(target=write, args=(process.stdin, "".join(f"{line}\n" for line in lines)))
        writer.start()
        # On a slow machine most hosts would be killed while they start.
        output = list(itertools.islice(process.stdout, count))
        timer.start()
        output += list(process.stdout)
        errors = process.stderr.read()
        writer.join()
        timer.cancel()
        process.wait()
        if problems(errors):
            raise Failed(f"reported: {errors.strip()}")
        return [json.loads(line) for line in output if line.endswith("\n")]

    def state(self):
        """The current data in the form of the model, and the ids of the entities."""
        entities, page = [], 1
        while True:
            [reply] = self.run(f"entities list --size 500 --sort oldest --page {page}")
            entities += reply["result"]["rows"]
            if not reply["result"]["hasMore"]:
                break
            page += 1
        session, profile, modules = self.run("session; profile; modules")
        state = {
            "person": session["result"]["email"],
            "profile": profile.get("result", {}).get("firstName") if session["result"]["email"] else None,
            "entities": sorted((row["name"], row["category"]) for row in entities),
            "extra": any(row["name"] == "Catalog" for row in modules["result"]["rows"]),
        }
        return state, {row["name"]: row["id"] for row in entities}


def write(pipe, text):
    try:
        pipe.write(text)
        pipe.close()
    except BrokenPipeError:
        pass


def problems(errors):
    """The lines on standard error, without those that tell of a host that was killed."""
    lines = errors.splitlines()
    if lines and lines[0].startswith(KILLED):
        del lines[:2 if len(lines) > 1 and lines[1].startswith("  hint: ") else 1]
    return lines


def differences(expected, found):
    parts = []
    for key in expected:
        if expected[key] == found[key]:
            continue
        if key == "entities":
            wanted, there = dict(expected[key]), dict(found[key])
            parts.append(f"entities: missing {sorted(wanted.keys() - there.keys())[:5]}, "
                         f"too many {sorted(there.keys() - wanted.keys())[:5]}, "
                         f"other {[name for name in wanted if name in there and wanted[name] != there[name]][:5]}")
        else:
            parts.append(f"{key}: {found[key]!r}, not {expected[key]!r}")
    return "; ".join(parts)


def check(model, next_apply, found):
    """Returns the model that the data matches: before or after the command that was running."""
    before = model.state()
    candidates = [model]
    if next_apply:
        after = copy.deepcopy(model)
        next_apply(after, None)
        candidates.append(after)
        for part in getattr(next_apply, "parts", []):
            if part not in dict(found["entities"]):
                model.entities.pop(part, None)
    for candidate in candidates:
        state = candidate.state()
        if state == found:
            return candidate
    raise Failed(f"the data differs from the acknowledged commands: {differences(before, found)}")


def torture(host, generator, kills, deadline):
    model = Model()
    commands = Commands(generator, host.folder)
    number = acknowledged = 0
    while number < kills and time.monotonic() < deadline:
        found, commands.ids = host.state()
        lines, applies, planned = ["root"], [lambda model, reply: None], copy.deepcopy(model)
        planned.stack = ["home"]
        model.stack = ["home"]
        for _ in range(COMMANDS):
            line, apply = commands.next(planned)
            apply(planned, None)
            lines.append(line)
            applies.append(apply)
        count = generator.choice([0, generator.randrange(COMMANDS // 2)])
        moment = generator.uniform(0, LATEST if count == 0 else LATEST / 10)
        replies = host.run_and_kill(lines, count, moment)
        for line, apply, reply in zip(lines, applies, replies):
            if not reply["ok"]:
                raise Failed(f"'{line}' failed: {reply['error']['message']}")
            apply(model, reply)
        acknowledged += len(replies)
        following = applies[len(replies)] if len(replies) < len(applies) else None
        found, _ = host.state()
        try:
            model = check(model, following, found)
        except Failed as failure:
            under_way = lines[len(replies)] if following else "nothing"
            raise Failed(f"kill {number}, {moment:.3f} s after reply {count}, {len(replies)} acknowledged, "
                         f"last '{lines[max(0, len(replies) - 1)]}', running '{under_way}': {failure}") from failure
        number += 1
    return number, acknowledged


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--host", type=pathlib.Path, default=RELEASE / "atrium")
    parser.add_argument("--modules", type=pathlib.Path, default=RELEASE)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin nothing after this time")
    parser.add_argument("--keep", action="store_true", help="keep the data folder of a failure")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="atrium-"))
    host = Host(options.host.absolute(), options.modules.absolute(), folder)
    try:
        kills, acknowledged = torture(
            host, random.Random(options.seed), options.kills, time.monotonic() + options.seconds)
    except Failed as failure:
        print(f"seed {options.seed}: {failure}")
        if options.keep:
            print(f"data: {host.data}")
        else:
            shutil.rmtree(folder)
        return 1
    shutil.rmtree(folder)
    print(f"seed {options.seed}: {kills} kills, {acknowledged} acknowledged commands, none lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
