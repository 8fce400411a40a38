#!/usr/bin/env python3
"""Installs the packages in a new Debian, uses them there as somebody without this project, and removes them.

    Tests/Package/clean_root.py FOLDER

mmdebstrap makes the system in a temporary folder; it is entered by chroot in a namespace of its own. It has nothing
of this project but the packages in the folder, and nothing of this machine but the Swift toolchain, read-only and in another folder
than here. Needs root and Debian's mirror. Prints a line for each step, with its time; exits 1 at the first failure.
"""

import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

TOOLCHAIN = "/opt/toolchain"
HOME = "/home/ada"
COMPILER_NEEDS = ["g++", "libcurl4", "libncurses6", "libsqlite3-0", "libuuid1", "libxml2"]
"""Debian's packages that a toolchain of swift.org is used with."""
VARYING = ("dev", "home", "proc", "run", "sys", "tmp", "opt", "var/cache", "var/lib/apt", "var/lib/dpkg", "var/log")


class Failed(Exception):
    pass


def expect(condition, sentence, output=""):
    if not condition:
        raise Failed(f"{sentence}\n{output}")


class Root:
    """A system of its own in a folder."""

    def __init__(self, folder):
        self.folder = folder

    def command(self, words, user):
        person = ["--userspec=1000:1000"] if user else []
        search = f"{TOOLCHAIN}/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        variables = [f"PATH={search}", f"HOME={HOME if user else '/root'}", "LANG=C.UTF-8", "TERM=xterm",
                     "DEBIAN_FRONTEND=noninteractive"]
        return ["chroot", *person, self.folder, "env", "-i", *variables, "sh", "-c", f"cd; {words}"]

    def run(self, words, lines="", user=True, fails=False):
        """Runs a line of the shell; returns its output and errors."""
        run = subprocess.run(self.command(words, user), input=lines, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=600)
        expect((run.returncode != 0) == fails, f"'{words}' ended with {run.returncode}", run.stdout)
        return run.stdout

    def files(self):
        paths = set()
        for folder, folders, files in os.walk(self.folder):
            place = os.path.relpath(folder, self.folder)
            folders[:] = [name for name in folders if os.path.normpath(f"{place}/{name}") not in VARYING]
            paths.update(os.path.normpath(f"{place}/{name}") for name in folders + files)
        return paths

    def contents(self, path):
        return {file: file.read_bytes() for file in sorted((self.folder / path.lstrip("/")).rglob("*"))
                if file.is_file()}


def installs(root):
    """apt installs the packages with what they depend on."""
    output = root.run("apt-get install -y --no-install-recommends /tmp/packages/*.deb", user=False)
    print("   ", re.search(r"(?m)^After this operation.*", output).group(), flush=True)
    missing = root.run("find /usr/bin/atrium /usr/lib/atrium -type f -exec ldd {} + | grep 'not found' || true")
    expect(missing == "", "libraries are missing", missing)


def starts(root):
    """The host says its version, and where its parts are."""
    version = root.run("atrium --version")
    expect(re.fullmatch(r"atrium [\d.]+, AtriumKit [\d.]+\n", version), "no version", version)
    places = dict(line.split(maxsplit=1) for line in root.run("atrium --paths").splitlines())
    expect(places == {
        "Executable": "/usr/bin/atrium", "Modules": "/usr/lib/atrium/modules",
        "Configuration": "/usr/share/atrium/modules.json", "SDK": "/usr/share/atrium/sdk",
        "Data": f"{HOME}/.local/state/atrium"}, "the parts are elsewhere", str(places))


def runs_lines(root):
    """A session from a pipe, which the next one continues."""
    first = root.run("atrium", "session sign-up --email ada@example.com --password 'correct horse 9'\n"
                               "entities create --name 'Blue lamp' --category lighting\n")
    expect("Created 'Blue lamp'." in first, "nothing was created", first)
    second = root.run("atrium", "entities list\n")
    expect(re.search(r"(?m)^ *1  Blue lamp  lighting", second), "nothing was kept", second)


def edits_lines(root):
    """A prompt in a terminal."""
    output = root.run("script -qec atrium /dev/null", "\x04")
    expect("ada@example.com home> " in output, "no prompt", output)


def reaches_servers(root):
    """Environment live: libcurl is there."""
    output = root.run("atrium --env live --api http://127.0.0.1:9 --data /tmp/live -c 'session sign-in --email "
                      "ada@example.com --password \"correct horse 9\"'", fails=True)
    expect("127.0.0.1:9" in output and "libcurl" not in output, "the request was not sent", output)


def has_documents(root):
    """Manual page, completions, documents, license and changes are where Debian has them."""
    root.run("zcat /usr/share/man/man1/atrium.1.gz | grep -q '^.TH ATRIUM 1'")
    root.run("cd /usr/share/doc/atrium && zcat changelog.gz changelog.Debian.gz > /dev/null && test -s copyright")
    for file in ("doc/atrium/README.md", "doc/atrium/Documentation/reference/AtriumKit/Record.md",
                 "doc/atrium/Examples/Shop/Package.swift", "zsh/vendor-completions/_atrium", "fish/vendor_completions.d/atrium.fish",
                 "bash-completion/completions/atrium"):
        root.run(f"test -s /usr/share/{file}")


def has_symbols(root):
    """The debug information of the host and of each of its libraries is where debuggers look."""
    root.run("test $(ls /usr/lib/debug/.build-id/*/*.debug | wc -l) = 6 && test ! -e /usr/lib/atrium/debug")


def makes_package(root):
    """atrium new writes the path of the installed SDK; without a toolchain the host says so."""
    root.run("atrium new Notes")
    root.run("""grep -qF '?? "/usr/share/atrium/sdk"' Notes/Package.swift""")
    output = root.run("atrium -c 'module add Notes'", fails=True)
    expect("toolchain" in output, "no word of the toolchain", output)


def removes(root):
    """apt removes all of it, and nothing of what people have."""
    kept = root.contents(HOME)
    expect(any(path.suffix == ".sqlite" for path in kept), "there is no data to keep", "\n".join(map(str, kept)))
    root.run("apt-get purge -y --auto-remove atrium", user=False)
    changes = root.files() ^ root.before
    expect(not changes, "files came or went", "\n".join(sorted(changes)))
    expect(root.contents(HOME) == kept, "data changed")


def installs_again(root):
    """Installed again, the host has the data of before."""
    root.run("apt-get install -y --no-install-recommends /tmp/packages/*.deb", user=False)
    expect("Blue lamp" in root.run("atrium -c 'entities list'"), "the data is lost")


def has_toolchain(root):
    """A toolchain comes, with the packages that it needs itself."""
    root.run(f"apt-get install -y --no-install-recommends {' '.join(COMPILER_NEEDS)}", user=False)
    toolchain = pathlib.Path(shutil.which("swift")).resolve().parents[1]
    place = root.folder / TOOLCHAIN.lstrip("/")
    place.mkdir()
    subprocess.run(["mount", "--bind", toolchain, place], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", place], check=True)
    root.run("swift --version")


def builds(root):
    """The package builds and passes its tests."""
    timed(root, "first build", "swift build -c release --package-path Notes")
    output = timed(root, "first test", "swift test --disable-xctest --package-path Notes")
    expect(re.search(r"Test run with \d+ tests? in \d+ suites? passed", output), "the tests did not pass", output)


def adds_to_running_host(root):
    """A running host takes the module, and its next build."""
    with subprocess.Popen(root.command("atrium", user=True), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, bufsize=1) as host:
        def tell(lines, last):
            host.stdin.write(lines)
            host.stdin.flush()
            output = ""
            while last not in output:
                line = host.stdout.readline()
                expect(line, f"the host ended before '{last}'", output)
                output += line
            return output

        output = tell("module add Notes\nnotes greet Ada\n", "Hello, Ada.")
        expect("Loaded Notes 0.1.0." in output, "it was not loaded", output)
        root.run("sed -i 's/Text(viewModel/Text(\"Changed: \" + viewModel/' Notes/Sources/Notes/View/NotesView.swift")
        timed(root, "build after a change", "swift build -c release --package-path Notes")
        output = tell("module update Notes\nnotes greet Eve\n", "Hello, Eve.")
        expect("\nChanged: Hello, Eve." in output, "the change is not there", output)
        host.stdin.close()
        expect(host.wait() == 0, "the host failed", host.stdout.read())


def timed(root, what, words):
    def processor():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    start, used = time.monotonic(), processor()
    output = root.run(words)
    print(f"    {what}: {time.monotonic() - start:.1f} s, {processor() - used:.1f} s of processor time", flush=True)
    return output


STEPS = [installs, starts, runs_lines, edits_lines, reaches_servers, has_documents, has_symbols, makes_package, removes,
         installs_again, has_toolchain, builds, adds_to_running_host]


def perform(root):
    for step in STEPS:
        start = time.monotonic()
        try:
            step(root)
        except Failed as failure:
            sys.exit(f"FAILED {step.__name__}: {failure}")
        print(f"ok {step.__name__} ({time.monotonic() - start:.1f} s)", flush=True)


def enter(folder):
    """Runs the steps; the mounts and processes of this namespace end with it."""
    root = Root(pathlib.Path(folder))
    for words in (["--make-rprivate", "/"], ["-t", "proc", "proc", root.folder / "proc"],
                  ["--rbind", "/dev", root.folder / "dev"]):
        subprocess.run(["mount", *words], check=True)
    root.run("useradd --create-home --uid 1000 --user-group ada", user=False)
    root.before = root.files()
    perform(root)


def main(packages):
    if os.geteuid() != 0:
        sys.exit("A system of its own is made and entered by root alone.")
    suite = re.search(r"(?m)^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text()).group(1)
    with tempfile.TemporaryDirectory(prefix="atrium-root-") as folder:
        root = pathlib.Path(folder) / "root"
        start = time.monotonic()
        subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", "--skip=cleanup/apt/lists",
                        "--dpkgopt=force-unsafe-io", suite, root], check=True)
        print(f"ok mmdebstrap {suite} ({time.monotonic() - start:.1f} s)", flush=True)
        shutil.copytree(packages, root / "tmp" / "packages")
        inside = ["unshare", "--mount", "--pid", "--fork", "--kill-child", sys.executable, __file__, "--enter", root]
        sys.exit(subprocess.run(inside).returncode)


if __name__ == "__main__":
    if sys.argv[1] == "--enter":
        enter(sys.argv[2])
    else:
        main(*sys.argv[1:])
