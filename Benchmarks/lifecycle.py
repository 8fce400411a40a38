"""Measures starting, adding, updating and removing modules, against opening their libraries alone."""
import json
import os
import shutil
import statistics
import subprocess
import time

from tools import Figure, Host, Program

SIZES = [3, 100, 1_000]
# The modules beside which another one is updated: dependent ones and independent ones.
BESIDE = [("dependent", 0), ("dependent", 10), ("dependent", 100), ("eager", 100)]
BATCHES, RUNS, CHANGES = 9, 2, 15
MILLISECOND = 1e6


def measure(build, folder):
    family = Family(build, os.path.join(folder, "family"))
    return [
        *on_demand(build, family), *at_start_up(build, family), *first_scan(build, family),
        *added(build, family), *(figure for others in BESIDE for figure in updated(build, family, *others))]


class Family:
    """Libraries copied from templates, with numbers written over their zeros, so that nothing is compiled."""
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        os.makedirs(folder)
        # The libraries look for it beside them; the host has it open already, the bare program has not.
        os.symlink(os.path.join(build.folder, "libAtriumKit.so"), os.path.join(folder, "libAtriumKit.so"))

    def library(self, kind, number):
        """The path of a module such as Filler0001, whose link is filler-number-0001."""
        path = os.path.join(self.folder, f"{kind}-{number:04}.so")
        if not os.path.exists(path):
            content, digits = self.build.module(kind), f"{number:04}".encode()
            for text in (b"Filler", b"filler-number-"): content = content.replace(text + b"0000", text + digits)
            self.write(path, content)
        return path

    def install(self, kind, path, number):
        """Installs another build of a module at a path as a build tool does: by renaming."""
        self.write(path, self.build.module(kind) + b"%08d" % number)

    def site(self, name, modules):
        """Returns a data folder, and the host's options for these modules, (name, path) each."""
        folder = os.path.join(self.folder, name)
        os.makedirs(folder)
        config = os.path.join(folder, "modules.json")
        with open(config, "w") as file:
            entries = [{"name": name, "path": path} for name, path in modules]
            json.dump({"searchPaths": [], "modules": entries}, file)
        return os.path.join(folder, "data"), ["--config", config]

    def fillers(self, kind, count):
        return [(f"Filler{number:04}", self.library(kind, number)) for number in range(1, count + 1)]

    @staticmethod
    def write(path, content):
        with open(path + "~", "wb") as file: file.write(content)
        os.rename(path + "~", path)


# Starting

def on_demand(build, family):
    """Starts with modules that are not loaded, against the start with the fewest."""
    commands = [starting(build, family, "filler", count) for count in SIZES]
    columns = launched(build, commands)
    return [
        started(f"start, {count:,} modules on demand", "with three", columns[index], columns[0], goal)
        for index, (count, goal) in enumerate(zip(SIZES, [None, 1.5, 1.5]))][1:]


def at_start_up(build, family):
    """Starts with modules that are all loaded, against a bare program that opens the same libraries."""
    commands = [starting(build, family, "eager", count) for count in SIZES]
    bare = [[build.bare] + [path for _, path in family.fillers("eager", count)] for count in SIZES]
    columns = launched(build, commands + bare)
    return [
        started(
            f"start, {count:,} modules at start-up", "bare program", columns[index],
            columns[index + len(SIZES)], 2.0 if count == 3 else None)
        for index, count in enumerate(SIZES)]


def starting(build, family, kind, count):
    data, options = family.site(f"{kind}-{count}", family.fillers(kind, count))
    command = [build.host, *options, "--data", data, "-c", "where"]
    # New libraries are tried and copied once.
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return command


def launched(build, commands):
    """Returns the batches' medians for each command: wall-clock and processor time in milliseconds."""
    words = [word for command in commands for word in ["--"] + command][1:]
    output = subprocess.run(
        [build.launch, str(BATCHES * RUNS), *words], check=True, capture_output=True, text=True).stdout
    samples = [[int(word) / MILLISECOND for word in line.split()] for line in output.splitlines()]
    batches = [samples[start:start + RUNS] for start in range(0, len(samples), RUNS)]
    column = lambda index: [statistics.median(sample[index] for sample in batch) for batch in batches]
    return [(column(2 * index), column(2 * index + 1)) for index in range(len(commands))]


def started(what, compared_with, ours, reference, goal):
    return Figure(
        what, compared_with, "ms", ours[0], reference[0], goal, processor_ours=ours[1],
        processor_reference=reference[1])


def first_scan(build, family):
    """Measures what each unloaded module adds to the very first start, in a new data folder."""
    def once(count):
        data, options = family.site(f"scan-{count}-{time.monotonic_ns()}", family.fillers("filler", count))
        start = time.perf_counter_ns()
        subprocess.run(
            [build.host, *options, "--data", data, "-c", "where"], check=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL)
        return (time.perf_counter_ns() - start) / 1e3
    fewest, most = SIZES[0], SIZES[-1]
    each = [(once(most) - once(fewest)) / (most - fewest) for _ in range(BATCHES)]
    return [Figure("first scan, each module", "allowed", "µs", each, [100] * BATCHES, 1.0)]


# Adding and removing

def added(build, family):
    """Adds a module that starts at once: a new one, one known by its digest; then removes it."""
    data, options = family.site("adding", family.fillers("filler", SIZES[0]))
    libraries = [family.library("eager", 2_000 + number) for number in range(CHANGES)]
    names = [f"Filler{2_000 + number}" for number in range(CHANGES)]
    new, empty, known, removed, bare, kept = [], [], [], [], [], []
    with Host(build, data, *options, "--json") as host:
        for library, name in zip(libraries, names):
            empty.append(statistics.median(launched(build, [[build.bare]])[0][0]))
            new.append(milliseconds(host, f"module add '{library}'"))
            milliseconds(host, f"module remove {name}")
    # The same content in new files is read and digested again, but not tried.
    for library in libraries: shutil.copy(library, library + "~"), os.rename(library + "~", library)
    with Host(build, data, *options, "--json") as host, Program(build.bare, "--each") as program:
        for library, name in zip(libraries, names):
            bare.append(loaded(program, library))
            kept.append(durable_write(family.folder))
            known.append(milliseconds(host, f"module add '{library}'"))
            removed.append(milliseconds(host, f"module remove {name}"))
    whole, opened = [sum(sample) for sample in bare], [sample[1] for sample in bare]
    return [
        Figure("hot-add, digest known", "read, digest, dlopen, entry", "ms", known, whole, 1.5),
        Figure(
            "(the same)", "that, and a file kept durably", "ms", known,
            [sum(pair) for pair in zip(whole, kept)]),
        Figure("hot-add, new", "empty Swift process", "ms", new, empty, 3.0),
        Figure("remove", "dlopen, dlsym, entry", "ms", removed, opened)]


def durable_write(folder):
    """Milliseconds of writing a small file durably, as the host must."""
    path, start = os.path.join(folder, "durable"), time.perf_counter_ns()
    with open(path + "~", "wb") as file:
        file.write(bytes(100))
        file.flush()
        os.fsync(file.fileno())
    os.rename(path + "~", path)
    directory = os.open(folder, os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)
    return (time.perf_counter_ns() - start) / MILLISECOND


def milliseconds(host, line):
    return host.batch([line])[0] / MILLISECOND


def loaded(program, library):
    """Milliseconds of reading and digesting, and of opening and calling the entry, without a host."""
    return [int(word) / MILLISECOND for word in program.ask(library).split()]


# Updating

def updated(build, family, kind, count):
    """Updates a module whose state is transferred, beside others of a kind, which have all been used."""
    path = os.path.join(family.folder, f"base-of-{kind}-{count}.so")
    others = family.fillers(kind, count)
    pulse = family.library("pulse", 0)
    data, options = family.site(f"updating-{kind}-{count}", [("Base", path), ("Pulse", pulse), *others])
    builds = range(1, 2 * CHANGES + 1)

    def session(run):
        family.install("base", path, 0)
        with Host(build, data, *options, "--json") as host:
            for number in range(1, count + 1): host.run(f"filler-number-{number:04}")
            host.run("base increment")
            count_before = host.run("base")["count"]
            result = [run(host, number) for number in builds if not family.install("base", path, number)]
            if host.run("base")["count"] != count_before: raise RuntimeError("The state was lost.")
            return result

    new = session(lambda host, number: milliseconds(host, "module update Base"))
    with Program(build.bare, "--each") as program:
        def known(host, number):
            own = f"{path}-{number}"
            shutil.copy(path, own)
            bare = loaded(program, own)
            if number <= CHANGES: return milliseconds(host, "module update Base"), sum(bare)
            return pause(host, "module update Base"), pause(host, "where")
        samples = session(known)
    times, pauses = samples[:CHANGES], samples[CHANGES:]
    beside = f"beside {count} dependents" if kind == "dependent" else f"beside {count} that don't depend on it"
    figure = lambda what, compared_with, pairs, goal=None: Figure(
        what, compared_with, "ms", *map(list, zip(*pairs)), goal, details={"beside": count, "kind": kind})
    bare = [reference for _, reference in times]
    return [
        figure(f"update with state, digest known, {beside}", "read, digest, dlopen, entry", times),
        figure("(the same)", "Erlang's code change", [(ours, 1.2) for ours, _ in times], 1.0),
        figure(f"update with state, new, {beside}", "read, digest, dlopen, entry", zip(new, bare)),
        figure("longest pause of the main actor meanwhile", "allowed", [(ours, 1.0) for ours, _ in pauses], 1.0),
        figure("(the same)", "pause of 'where'", pauses)]


def pause(host, command):
    """The longest time, in milliseconds, for which the main actor was blocked."""
    host.run("pulse begin")
    host.run(command)
    return host.run("pulse end")["pause"] / MILLISECOND
