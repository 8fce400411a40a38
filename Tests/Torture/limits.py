#!/usr/bin/env python3
"""Starts the host with few descriptors, and with state files of the largest size that is read.

    Tests/Torture/limits.py [--host FILE] [--modules DIR] [--fixture PROGRAM] [--short]

With 3 to 64 descriptors each start works wholly, or stops with a sentence and changes nothing. A valid state file of
the largest size is read, and nothing in it is lost; one byte more stops the start, and the file stays. A change that
would make a file larger is refused by the name of the value, and the former file stays. Prints a line for each
violation, and the totals; exits 1 if there is a violation.
"""

import json
import sys

import errnos
import faults
import filled

DESCRIPTORS = range(3, 65)
SHORT_DESCRIPTORS = [3, 9, 10, 11, 14, 20, 32, 64]
LARGEST = 16_000_000
"""The most bytes that a host reads of a state file."""
LARGEST_RECORD = 1_000_000
"""The same of a crash record."""
FILL = "x"
NOT_LOADED = 127
"""The exit status of the loader, which finds no descriptor for a library of the host."""


# MARK: - Descriptors

def descriptor_faults(data, count, held):
    """Starts with a limit, or with so many left of the largest one, because those before are held."""
    data.renew()
    before = data.content()
    run = data.look(descriptors=(DESCRIPTORS[-1], DESCRIPTORS[-1] - count) if held else (count, 0))
    if run and run.returncode == NOT_LOADED and "shared librar" in run.stderr:
        return [f"changed {changed}" for changed in [data.changed(before)] if changed]
    found = filled.ends(run)
    if found:
        return found
    if run.returncode == 0 and (lacks := missing(data, run)):
        found.append(f"exit status 0, but it has not: {lacks}: {run.stderr[:300]}")
    has_started = any(json.loads(line)["command"] for line in run.stdout.splitlines())
    if run.returncode != 0 and has_started:
        found.append(f"works in part, exit status {run.returncode}: it has not: {missing(data, run)}: "
                     f"{(run.stderr + run.stdout)[:600]}")
    if run.returncode != 0 and '"message"' not in run.stdout and not run.stderr:
        found.append(f"exit status {run.returncode}, and nothing was said")
    if run.returncode != 0 and not has_started and (changed := data.changed(before)):
        found.append(f"stopped, and changed {changed}: {run.stderr[:300]}")
    return found + filled.next_start(data, "local", [data.expected["local"]])


def missing(data, run):
    seen = data.seen(run)
    return [part for part, value in data.expected["local"].items() if seen.get(part) != value]


# MARK: - Sizes

def in_json(*keys):
    """Fills a text in the file, made by its last key if it is not there."""
    def fill(text, count):
        file = json.loads(text)
        value = file
        for key in keys[:-1]:
            value = value[key] if isinstance(value, list) else value.setdefault(key, {})
        if isinstance(value, list):
            value.append("")
        former = value[keys[-1]] if isinstance(value, list) else value.setdefault(keys[-1], "")
        # The text of a saved state is JSON itself.
        new = former[:-2] + FILL * count + former[-2:] if former.startswith("{") else former + FILL * count
        value[keys[-1]] = new
        return json.dumps(file, separators=(",", ":"), ensure_ascii=False)
    return fill


def spaces(text, count):
    return text + " " * count


GROWN = {
    # The name in it is renewed.
    "session-local.json": spaces,
    "navigation-local.json": in_json("entries", 0, "state", "Gone"),
    "module-states-local.json": in_json("earlier", "Gone", "build"),
    "module-configuration.json": in_json("modules", "Gone", "text"),
    "installed.json": in_json("removed", 0),
    "crashes.json": in_json("crashes", 0, "sentence"),
    "change.json": spaces,
    "host.lock": spaces,
    "crash": lambda text, count: text.replace("end\n", f"activity {FILL * count}\nend\n"),
}
SHORT_GROWN = ["navigation-local.json", "crashes.json", "host.lock", "crash"]
"""One for each reader: the others are read as the first is."""
MADE = {
    "module-states-local.json": lambda text: text.replace(
        '"earlier":{}', '"earlier":{"Gone":{"build":"1","json":"{}","version":1}}'),
}
"""What has to be in a file so that it can be grown."""


def grow(data, name, size):
    """Makes the file so large, and returns its content."""
    data.renew()
    errnos.make(data, name)
    path = data.copy / name
    text = MADE.get(name, str)(path.read_text())
    path.write_text(GROWN[name](text, size - len(GROWN[name](text, 0).encode())))
    if path.stat().st_size != size:
        raise faults.Failed(f"{name} has {path.stat().st_size} bytes instead of {size}")
    return path


def size_faults(data, name, excess):
    path = grow(data, name, (LARGEST_RECORD if name == "crash" else LARGEST) + excess)
    if name == "crashes.json":
        # Without another one to be added.
        (data.copy / "crash").unlink()
    content, before = path.read_bytes(), data.content()
    run = data.look()
    found = filled.ends(run)
    if found:
        return found
    if excess > 0:
        if run.returncode != 2 or name not in run.stderr or "hint" not in run.stderr:
            found.append(f"exit status {run.returncode}: {run.stderr[:300]}")
        if not path.exists() or path.read_bytes() != content or data.changed(before):
            found.append(f"changed: {data.changed(before)}")
        return found
    lacks = [part for part in missing(data, run) if (part, name) != ("crashes", "crashes.json")]
    if run.returncode != 0 or lacks:
        found.append(f"exit status {run.returncode}, it has not: {lacks}: {run.stderr[:300]}")
    return found + kept(path, name)


def kept(path, name):
    """What is lost of the text that a file was grown by."""
    if not path.is_file():
        return [] if name in ("crash", "change.json") else ["the file is not there"]
    is_text = GROWN[name] is not spaces and name != "crash"
    return ["the text in it is lost"] if is_text and FILL * 10_000 not in path.read_text() else []


# MARK: - Writing

REFUSED = '"ok":false'
TOO_LARGE = [
    ("navigation-local.json", 5, "set name 'another draft'", ["entities/new", "Entities", "field 'texts'"]),
    ("module-states-local.json", 0, "; ".join(["counter increment"] * 9), ["Counter", "field 'count'"]),
    ("module-configuration.json", 0, "module configure Entities delay=22", ["module-configuration.json", REFUSED]),
    ("installed.json", 10, "module add {folder}/journey", ["installed.json", REFUSED]),
    ("module-configuration.json", 10, "module upgrade Notes", ["change.json", REFUSED]),
    ("crashes.json", 10, "where", ["crashes.json"]),
]
"""A file, how many bytes it lacks of the limit, the commands that need more, and what the refusal says."""


def writer_faults(data, name, lacks, commands, words):
    path = grow(data, name, LARGEST - lacks)
    run = data.look(commands=commands.format(folder=data.modules))
    found = filled.ends(run)
    if found:
        return found
    told = run.stderr + run.stdout
    if unnamed := [word for word in words if word not in told]:
        found.append(f"exit status {run.returncode}, and nothing says {unnamed}: {told[-700:]}")
    if path.is_file() and path.stat().st_size > LARGEST:
        found.append(f"has {path.stat().st_size} bytes")
    if left := [path.name for path in data.copy.glob(".atrium-new-*")]:
        found.append(f"was left: {left}")
    if name == "crashes.json":
        # Each start tells it again, until there is room.
        return found + kept(path, name) + ([] if (data.copy / "crash").exists() else ["the record of the crash is lost"])
    return found + kept(path, name) + filled.next_start(data, "local", [data.expected["local"]])


def attempts(options):
    for count in SHORT_DESCRIPTORS if options.short else DESCRIPTORS:
        for held in (False, True):
            yield (f"{count} descriptors{' that are left' if held else ''}",
                   lambda data, count=count, held=held: descriptor_faults(data, count, held))
    for name in SHORT_GROWN if options.short else GROWN:
        for excess in (0, 1):
            words = f"{name} with {excess} bytes more than the limit"
            yield words, lambda data, name=name, excess=excess: size_faults(data, name, excess)
    for case in TOO_LARGE:
        yield f"{case[0]}, '{case[2][:40]}'", lambda data, case=case: writer_faults(data, *case)


def main():
    parser = errnos.parser(__doc__)
    return errnos.run_all(parser.parse_args(), lambda data, options: attempts(options), "starts")


if __name__ == "__main__":
    sys.exit(main())
