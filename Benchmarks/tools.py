"""Programs that the benchmarks build and drive, and the figures that they give."""
import dataclasses
import fcntl
import functools
import glob
import json
import os
import shutil
import statistics
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PIPE_ROOM = 1 << 20
# What the programs of several benchmarks have in common.
SHARED = sorted(glob.glob(os.path.join(HERE, "Sources", "shared", "*.swift")))


@dataclasses.dataclass
class Figure:
    """One row of the table: paired samples of ours and of what it is compared with, a pair for each batch."""
    what: str
    compared_with: str
    unit: str
    ours: list
    reference: list
    goal: float = None
    processor_ours: list = dataclasses.field(default_factory=list)
    processor_reference: list = dataclasses.field(default_factory=list)
    at_least: bool = False
    details: dict = dataclasses.field(default_factory=dict)

    @property
    def ratio(self):
        """The median of the batches' own ratios: what slows a whole batch down cancels out."""
        return statistics.median(ours / reference for ours, reference in zip(self.ours, self.reference))

    @property
    def processor_ratio(self):
        """The same for processor time, which other processes disturb less; None where it says nothing."""
        pairs = [pair for pair in zip(self.processor_ours, self.processor_reference) if pair[1] > 0]
        return statistics.median(ours / reference for ours, reference in pairs) if pairs else None

    @property
    def is_met(self):
        if self.goal is None: return None
        return self.ratio >= self.goal if self.at_least else self.ratio <= self.goal

    def cells(self):
        show = lambda value: f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
        goal = "" if self.goal is None else ("≥ " if self.at_least else "≤ ") + f"{self.goal:g}"
        met = {None: "", True: "yes", False: "**no**"}[self.is_met]
        processor = self.processor_ratio
        return [
            self.what, f"{show(statistics.median(self.ours))} {self.unit}",
            f"{self.compared_with}: {show(statistics.median(self.reference))} {self.unit}",
            f"{self.ratio:.2f}", "" if processor is None else f"{processor:.2f}", goal, met]

    def raw(self):
        return dataclasses.asdict(self) | {"ratio": self.ratio, "isMet": self.is_met}


def table(figures):
    """The figures as a table that reads well as text and as Markdown."""
    head = ["what", "ours", "compared with", "ratio", "ratio of CPU", "goal", "met"]
    return aligned([head] + [figure.cells() for figure in figures])


def aligned(rows):
    """Rows of cells as Markdown; the first is the head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    line = lambda cells: "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"
    return "\n".join(map(line, [rows[0], ["-" * width for width in widths], *rows[1:]]))


def compiled(name, folder):
    """Builds Sources/NAME where that is newer than what was built of it; returns the program's path."""
    source, program = os.path.join(HERE, "Sources", name), os.path.join(folder, os.path.splitext(name)[0])
    if not os.path.exists(program) or os.path.getmtime(program) < os.path.getmtime(source):
        os.makedirs(folder, exist_ok=True)
        command = (
            ["swiftc", "-O", source, "-o", program] if name.endswith(".swift")
            else ["cc", "-O2", "-Wall", source, "-o", program, "-lsqlite3"])
        subprocess.run(command, check=True)
    return program


def compiled_service(build, folder):
    """Builds Sources/service with the module's and the storage's own sources, as the package builds them."""
    find = lambda *parts: sorted(glob.glob(os.path.join(ROOT, *parts, "**", "*.swift"), recursive=True))
    storage, kit = find("Sources", "AtriumStorage"), os.path.join(build, "libAtriumKit.so")
    own = find("Plugins", "Entities", "Model") + find("Plugins", "Entities", "Services") + [
        os.path.join(ROOT, "Sources", "atrium", "MainQueue+Linux.swift"),
        os.path.join(HERE, "Sources", "service", "main.swift")]
    program = os.path.join(folder, "service")
    newest = max(os.path.getmtime(path) for path in storage + own + [kit])
    if os.path.exists(program) and os.path.getmtime(program) > newest: return program
    features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    swift = [
        "swiftc", "-O", "-wmo", "-swift-version", "6", "-package-name", "main", "-suppress-warnings",
        *(word for feature in features for word in ("-enable-upcoming-feature", feature)),
        "-I", folder, "-I", os.path.join(build, "Modules"), "-I", os.path.join(ROOT, "Sources", "CSQLite")]
    object = os.path.join(folder, "AtriumStorage.o")
    subprocess.run([
        *swift, "-parse-as-library", "-module-name", "AtriumStorage", "-emit-module", "-emit-module-path",
        os.path.join(folder, "AtriumStorage.swiftmodule"), "-c", "-o", object, *storage], check=True)
    subprocess.run([
        *swift, "-enable-upcoming-feature", "NonisolatedNonsendingByDefault", "-module-name", "service", "-o", program, *own, object, "-L", build, "-lAtriumKit",
        "-lsqlite3", "-Xlinker", "-rpath", "-Xlinker", build], check=True)
    return program


def compiled_container(build, folder):
    """Builds Sources/container: a module's library of its own, and the program that runs its loops."""
    sources, folder = os.path.join(HERE, "Sources", "container"), os.path.join(folder, "container")
    module, host = (sorted(glob.glob(os.path.join(sources, part, "*.swift"))) for part in ("module", "host"))
    host += SHARED
    program = os.path.join(folder, "container")
    newest = max(map(os.path.getmtime, module + host + [os.path.join(build, "libAtriumKit.so")]))
    if os.path.exists(program) and os.path.getmtime(program) > newest: return program
    os.makedirs(folder, exist_ok=True)
    features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    swift = [
        "swiftc", "-O", "-wmo", "-swift-version", "6",
        *(word for feature in features for word in ("-enable-upcoming-feature", feature)),
        "-I", os.path.join(build, "Modules"), "-I", folder, "-L", build, "-lAtriumKit",
        "-Xlinker", "-rpath", "-Xlinker", build]
    subprocess.run([
        *swift, "-enable-upcoming-feature", "NonisolatedNonsendingByDefault", "-parse-as-library",
        "-module-name", "ContainerModule", "-emit-module", "-emit-module-path",
        os.path.join(folder, "ContainerModule.swiftmodule"), "-emit-library", "-o",
        os.path.join(folder, "libContainerModule.so"), *module], check=True)
    subprocess.run([
        *swift, "-module-name", "container", "-I", os.path.join(sources, "malloc"), "-o", program, *host,
        "-L", folder, "-lContainerModule", "-Xlinker", "-rpath", "-Xlinker", folder], check=True)
    return program


def compiled_navigation(build, folder):
    """Builds Sources/navigation with the host's navigation, as the package builds that."""
    find = lambda *parts: sorted(glob.glob(os.path.join(ROOT, *parts, "**", "*.swift"), recursive=True))
    folder, kit = os.path.join(folder, "navigation"), os.path.join(build, "libAtriumKit.so")
    target = find("Sources", "AtriumNavigation")
    own = find("Benchmarks", "Sources", "navigation") + SHARED + [
        os.path.join(ROOT, "Sources", "atrium", "MainQueue+Linux.swift")]
    program = os.path.join(folder, "navigation")
    newest = max(os.path.getmtime(path) for path in target + own + [kit])
    if os.path.exists(program) and os.path.getmtime(program) > newest: return program
    os.makedirs(folder, exist_ok=True)
    features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    swift = [
        "swiftc", "-O", "-wmo", "-swift-version", "6", "-package-name", "main", "-suppress-warnings",
        *(word for feature in features for word in ("-enable-upcoming-feature", feature)),
        "-I", folder, "-I", os.path.join(build, "Modules")]
    object = os.path.join(folder, "AtriumNavigation.o")
    subprocess.run([
        *swift, "-parse-as-library", "-module-name", "AtriumNavigation", "-emit-module", "-emit-module-path",
        os.path.join(folder, "AtriumNavigation.swiftmodule"), "-c", "-o", object, *target], check=True)
    subprocess.run([
        *swift, "-module-name", "navigation", "-o", program, *own, object, "-L", build, "-lAtriumKit",
        "-Xlinker", "-rpath", "-Xlinker", build], check=True)
    return program


def compiled_render(build, folder):
    """Builds Sources/render with the shell's own sources for output."""
    find = lambda *parts: sorted(glob.glob(os.path.join(ROOT, *parts, "**", "*.swift"), recursive=True))
    kit, program = os.path.join(build, "libAtriumKit.so"), os.path.join(folder, "render")
    output = [path for path in find("Sources", "AtriumShell", "Output") if os.path.basename(path) not in
              ("OutputStream.swift", "ReplyPrinter.swift", "Reply.swift", "DetailedError.swift")]
    own = find("Benchmarks", "Sources", "render") + output
    # Its functions know the widths of characters.
    editline = os.path.join(build, "CEditline.build")
    newest = max(os.path.getmtime(path) for path in own + [kit])
    if os.path.exists(program) and os.path.getmtime(program) > newest: return program
    os.makedirs(folder, exist_ok=True)
    features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    subprocess.run([
        "swiftc", "-O", "-wmo", "-swift-version", "6", "-package-name", "main", "-suppress-warnings",
        *(word for feature in features for word in ("-enable-upcoming-feature", feature)),
        "-I", os.path.join(build, "Modules"), "-I", os.path.join(ROOT, "Sources", "CEditline", "include"),
        "-Xcc", "-fmodule-map-file=" + os.path.join(editline, "module.modulemap"),
        *glob.glob(os.path.join(editline, "*.o")), "-ldl", "-module-name", "render", "-o", program, *own,
        "-L", build, "-lAtriumKit", "-Xlinker", "-rpath", "-Xlinker", build], check=True)
    return program


def compiled_api(build, folder):
    """Builds Sources/api with the host's API manager and the transport module's own sources."""
    find = lambda *parts: sorted(glob.glob(os.path.join(ROOT, *parts, "**", "*.swift"), recursive=True))
    folder, kit = os.path.join(folder, "api"), os.path.join(build, "libAtriumKit.so")
    target = find("Sources", "AtriumNetworking")
    own = find("Benchmarks", "Sources", "api") + find("Plugins", "URLSessionTransport", "Transport") + [
        os.path.join(ROOT, "Sources", "atrium", "MainQueue+Linux.swift")]
    program = os.path.join(folder, "api")
    newest = max(os.path.getmtime(path) for path in target + own + [kit])
    if os.path.exists(program) and os.path.getmtime(program) > newest: return program
    os.makedirs(folder, exist_ok=True)
    features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    swift = [
        "swiftc", "-O", "-wmo", "-swift-version", "6", "-package-name", "main", "-suppress-warnings",
        *(word for feature in features for word in ("-enable-upcoming-feature", feature)),
        "-I", folder, "-I", os.path.join(build, "Modules")]
    object = os.path.join(folder, "AtriumNetworking.o")
    subprocess.run([
        *swift, "-parse-as-library", "-module-name", "AtriumNetworking", "-emit-module", "-emit-module-path",
        os.path.join(folder, "AtriumNetworking.swiftmodule"), "-c", "-o", object, *target], check=True)
    subprocess.run([
        *swift, "-enable-upcoming-feature", "NonisolatedNonsendingByDefault", "-module-name", "api",
        "-I", os.path.join(HERE, "Sources", "container", "malloc"), "-o", program, *own, object, "-L", build,
        "-lAtriumKit", "-Xlinker", "-rpath", "-Xlinker", build], check=True)
    return program


def compiled_module(build, name, folder):
    """Builds the module in Sources/lifecycle/NAME as the package builds a module; returns its library."""
    source, library = os.path.join(HERE, "Sources", "lifecycle", name), os.path.join(folder, f"{name}.so")
    files = [os.path.join(source, file) for file in ("Module.swift", "module.json")]
    kit = os.path.join(build, "libAtriumKit.so")
    if os.path.exists(library) and os.path.getmtime(library) > max(map(os.path.getmtime, files + [kit])):
        return library
    os.makedirs(folder, exist_ok=True)
    entry = os.path.join(folder, f"{name}-entry.swift")
    subprocess.run([
        os.path.join(build, "ManifestTool-tool"), files[1], "--output", entry, "--swiftc",
        shutil.which("swiftc")], check=True)
    subprocess.run([
        "swiftc", "-O", "-wmo", "-swift-version", "6", "-parse-as-library", "-emit-library", "-module-name",
        "Bench", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
        "-I", os.path.join(build, "Modules"), "-L", build, "-lAtriumKit",
        "-Xlinker", "-rpath", "-Xlinker", build, "-o", library, entry, files[0]], check=True)
    return library


class Build:
    """The host as it was built, and the programs it is compared with, built when they are wanted."""
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.host = os.path.join(self.folder, "atrium")
        modules = ("Session", "UserProfile", "Entities")
        self.libraries = [os.path.join(self.folder, f"lib{name}.so") for name in modules]
        self.options = ["--config", os.path.join(ROOT, "modules.json")]
        self.programs = os.path.join(ROOT, ".build", "benchmarks")

    bare = functools.cached_property(lambda self: compiled("bare.swift", self.programs))
    launch = functools.cached_property(lambda self: compiled("launch.c", self.programs))
    reference = functools.cached_property(lambda self: compiled("reference.c", self.programs))
    service = functools.cached_property(lambda self: compiled_service(self.folder, self.programs))
    container = functools.cached_property(lambda self: compiled_container(self.folder, self.programs))
    navigation = functools.cached_property(lambda self: compiled_navigation(self.folder, self.programs))
    render = functools.cached_property(lambda self: compiled_render(self.folder, self.programs))
    api = functools.cached_property(lambda self: compiled_api(self.folder, self.programs))

    def module(self, name):
        """The content of the library of a module in Sources/lifecycle."""
        with open(compiled_module(self.folder, name, os.path.join(self.programs, "modules")), "rb") as file:
            return file.read()

    def script(self, data, text):
        """Runs commands in a host of their own; returns what they answered."""
        command = [self.host, *self.options, "--data", data, "--json", "-c", text]
        answer = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if answer.returncode != 0: raise RuntimeError(f"{text}: {answer.stdout}{answer.stderr}")
        return [json.loads(line) for line in answer.stdout.splitlines()]


class Program:
    """A running program that answers lines; ended with `with`."""
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        for pipe in (self.process.stdin, self.process.stdout):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_ROOM)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    @property
    def processor_time(self):
        """Nanoseconds that all threads of the program have run; the kernel's clock of another process."""
        return time.clock_gettime_ns((~self.process.pid << 3) | 2)

    def tell(self, text):
        """Writes lines that have no answer."""
        self.process.stdin.write(text.encode())

    def ask(self, text):
        """Writes one line and returns the line that answers it."""
        self.tell(text + "\n")
        return self.process.stdout.readline().decode()


class Host(Program):
    """A running host that gets its commands through a pipe."""
    def __init__(self, build, data, *options):
        super().__init__(build.host, *build.options, "--data", data, *options)

    def run(self, command):
        """What one command answers."""
        reply = json.loads(self.ask(command))
        if not reply["ok"]: raise RuntimeError(f"{command}: {reply['error']['message']}")
        return reply["result"]

    def batch(self, lines, lines_of_answer=1, answer=b'"ok":true'):
        """Runs a batch; returns nanoseconds of wall clock and of processor time.

        `answer` stands once in the answer to each line.
        """
        text, pieces, missing = ("\n".join(lines) + "\n").encode(), [], len(lines) * lines_of_answer
        if len(text) > PIPE_ROOM: raise ValueError("The batch does not fit into the pipe.")
        to_host, from_host = self.process.stdin.fileno(), self.process.stdout.fileno()
        wall, processor = time.perf_counter_ns(), self.processor_time
        os.write(to_host, text)
        while missing > 0:
            piece = os.read(from_host, PIPE_ROOM)
            if not piece: raise RuntimeError("The host has ended.")
            pieces.append(piece)
            missing -= piece.count(b"\n")
        wall, processor = time.perf_counter_ns() - wall, self.processor_time - processor
        answers = b"".join(pieces)
        if answers.count(answer) != len(lines): raise RuntimeError(f"A command failed: {answers[:400]!r}")
        return wall, processor


def resident(process):
    """KiB of a process: in memory, and of that what it has written itself."""
    with open(f"/proc/{process.pid}/smaps_rollup") as file:
        sizes = {line.split(":")[0]: int(line.split()[1]) for line in file if line.endswith("kB\n")}
    return sizes["Rss"], sizes["Private_Dirty"]
