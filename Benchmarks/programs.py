"""The programs that the benchmarks build, each again where something it is made of is newer."""
import glob
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
FEATURES = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
# As modules are compiled: a service runs where its caller does.
MODULE = ["-enable-upcoming-feature", "NonisolatedNonsendingByDefault"]
MALLOC = ["-I", os.path.join(HERE, "Sources", "container", "malloc")]


def sources(*parts):
    """All Swift files below a folder of the project."""
    return sorted(glob.glob(os.path.join(ROOT, *parts, "**", "*.swift"), recursive=True))


def own(name):
    """The sources of one program here."""
    return sources("Benchmarks", "Sources", name)


# What several of the programs have in common, and the main queue as the host runs it.
SHARED, TIMING = own("shared"), own("timing")
MAIN_QUEUE = [os.path.join(ROOT, "Sources", "atrium", "MainQueue+Linux.swift")]


def is_current(program, parts):
    return os.path.exists(program) and os.path.getmtime(program) > max(map(os.path.getmtime, parts))


class Programs:
    """Builds programs with the SDK that lies in `build`, with the options of the package's own targets."""
    def __init__(self, build):
        self.build, self.folder = build, os.path.join(ROOT, ".build", "benchmarks")
        self.kit = os.path.join(build, "libAtriumKit.so")
        self.link = ["-L", build, "-lAtriumKit", "-Xlinker", "-rpath", "-Xlinker", build]
        self.swift = [
            "swiftc", "-O", "-wmo", "-swift-version", "6", "-package-name", "main", "-suppress-warnings",
            *(word for feature in FEATURES for word in ("-enable-upcoming-feature", feature)),
            "-I", os.path.join(build, "Modules")]

    def single(self, name):
        """A program of one file that needs nothing of ours."""
        source = os.path.join(HERE, "Sources", name)
        program = os.path.join(self.folder, os.path.splitext(name)[0])
        if not is_current(program, [source]):
            os.makedirs(self.folder, exist_ok=True)
            subprocess.run(
                ["swiftc", "-O", source, "-o", program] if name.endswith(".swift")
                else ["cc", "-O2", "-Wall", source, "-o", program, "-lsqlite3"], check=True)
        return program

    def program(self, name, files, *flags, target=None, before=None):
        """A program of `files` and, where `target` names one, of a target of the host.

        `before` is called with the program's folder where it has to be built.
        """
        folder = os.path.join(self.folder, name)
        program, target_files = os.path.join(folder, name), sources("Sources", target) if target else []
        if is_current(program, files + target_files + [self.kit]): return program
        os.makedirs(folder, exist_ok=True)
        if before: before(folder)
        objects = [self.target(target, target_files, folder, flags)] if target else []
        subprocess.run([
            *self.swift, *flags, "-I", folder, "-module-name", name, "-o", program, *files, *objects, *self.link],
            check=True)
        return program

    def target(self, name, files, folder, flags):
        """Compiles a target of the host as a module; returns the object."""
        object = os.path.join(folder, f"{name}.o")
        subprocess.run([
            *self.swift, *[flag for flag in flags if flag not in MODULE and not flag.endswith(".o")], "-parse-as-library", "-module-name", name,
            "-emit-module", "-emit-module-path", os.path.join(folder, f"{name}.swiftmodule"), "-c", "-o", object,
            *files], check=True)
        return object

    def service(self):
        """The module's service over the host's storage, without screens and shell."""
        return self.program(
            "service",
            sources("Plugins", "Entities", "Model") + sources("Plugins", "Entities", "Services") + MAIN_QUEUE
            + own("service"),
            *MODULE, "-I", os.path.join(ROOT, "Sources", "CSQLite"), "-lsqlite3", target="AtriumStorage")

    def container(self):
        """A module's library of its own, and the program that runs its loops."""
        module = own("container/module")

        def library(folder):
            subprocess.run([
                *self.swift, *MODULE, "-parse-as-library", "-module-name", "ContainerModule", "-emit-module",
                "-emit-module-path", os.path.join(folder, "ContainerModule.swiftmodule"), "-emit-library", "-o",
                os.path.join(folder, "libContainerModule.so"), *module, *self.link], check=True)

        folder = os.path.join(self.folder, "container")
        program = os.path.join(folder, "container")
        if os.path.exists(program) and not is_current(program, module): os.remove(program)
        return self.program(
            "container", own("container/host") + SHARED, *MALLOC, "-L", folder, "-lContainerModule", "-Xlinker",
            "-rpath", "-Xlinker", folder, before=library)

    def navigation(self):
        return self.program(
            "navigation", own("navigation") + SHARED + MAIN_QUEUE, target="AtriumNavigation")

    def render(self):
        """The shell's own sources of output, but for those that speak of its commands."""
        left_out = {"OutputStream.swift", "ReplyPrinter.swift", "Reply.swift", "DetailedError.swift"}
        output = [
            path for path in sources("Sources", "AtriumShell", "Output") if os.path.basename(path) not in left_out]
        # Its functions know the widths of characters.
        editline = os.path.join(self.build, "CEditline.build")
        return self.program(
            "render", own("render") + output, "-I", os.path.join(ROOT, "Sources", "CEditline", "include"), "-Xcc",
            "-fmodule-map-file=" + os.path.join(editline, "module.modulemap"),
            *glob.glob(os.path.join(editline, "*.o")), "-ldl")

    def api(self):
        """The host's API manager over the transport module's own sources."""
        # The manager knows URLs of servers as modules.json has them.
        manifest = glob.glob(os.path.join(self.build, "AtriumManifest.build", "*.o"))
        return self.program(
            "api", own("api") + TIMING + sources("Plugins", "URLSessionTransport", "Transport") + MAIN_QUEUE, *MODULE,
            *manifest, target="AtriumNetworking")

    def layers(self):
        return self.program("layers", own("layers") + TIMING + MAIN_QUEUE, *MODULE, *MALLOC)

    def module(self, name):
        """The library of the module in Sources/lifecycle/NAME, built as the package builds a module."""
        source, folder = os.path.join(HERE, "Sources", "lifecycle", name), os.path.join(self.folder, "modules")
        files = [os.path.join(source, file) for file in ("Module.swift", "module.json")]
        library, entry = os.path.join(folder, f"{name}.so"), os.path.join(folder, f"{name}-entry.swift")
        if is_current(library, files + [self.kit]): return library
        os.makedirs(folder, exist_ok=True)
        subprocess.run([
            os.path.join(self.build, "ManifestTool-tool"), files[1], "--output", entry, "--swiftc",
            shutil.which("swiftc")], check=True)
        subprocess.run([
            *self.swift, *MODULE, "-parse-as-library", "-emit-library", "-module-name", "Bench", "-o", library, entry,
            files[0], *self.link], check=True)
        return library
