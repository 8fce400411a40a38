#!/usr/bin/env python3
"""Checks Docs/checklist.md: every row of the design checklist is there, and its proofs passed in this run.

    Tests/Checklist/checklist.py RESULTS.xml …    (written by 'swift test --xunit-output')
    Tests/Checklist/checklist.py --write          writes the page's rows, titles and requirements anew

Each row's title, requirement and kinds of proof come from rows.tsv, which is a copy of ../shared/CHECKLIST.md and
is compared with it if that exists. The page has them word for word. The last cell of a row names the proofs in code
spans:

    `EntitiesTests.EntityModelTests.create`             a test of this run that passed
    `story.transcript: $ atrium verify => Findings  0`  a command of a transcript, and a line of its output
    `MustNotCompile/ScreenAsksForRepository`            a file that must not compile
    `Architecture/RepositoryAccess`                     a module that breaks an architecture rule
    `test_server.py: TokenTests.test_a_refresh_token`   a test of the reference server
    `live.py: live_ends_on_ctrl_c`                      a step in a real terminal

A row has a proof of each kind that its requirement asks for: T a test, X a transcript or a step in a terminal,
L a module that breaks a rule, B code that must not compile, which is as good as L: the compiler reports it. A test
has an expectation, or calls a function that has one.

A command has the prefix that it has in the transcript: '$ ', '> ', or 'atrium> ' for input of 'converse', whose
output ends at the next 'atrium> '. Commands and lines must match completely; '…' matches any text. Files that
other tests run count only if those tests passed. Prints nothing and exits with 0 if everything holds; otherwise
prints a line for each fault and exits with 1.
"""
import ast
import functools
import pathlib
import re
import sys
import xml.etree.ElementTree as XML

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "Docs" / "checklist.md"
LIST = pathlib.Path(__file__).with_name("rows.tsv")
# In Atrium's own development environment the design documents are beside the checkout.
DESIGN = ROOT.parent / "shared" / "CHECKLIST.md"
# The tests that run the contents of other files.
TRANSCRIPTS = "HostTests.TranscriptTests.play"
MUST_NOT_COMPILE = "HostTests.MustNotCompileTests.mustFail"
ARCHITECTURE = "HostTests.ArchitectureTests.planted"
SERVER = "HostTests.ReferenceServerTests.server"
TERMINALS = {
    "terminal.py": "HostTests.TerminalTests.terminal",
    "lifecycle.py": "HostTests.LifeCycleTerminalTests.lifeCycle",
    "live.py": "HostTests.LiveTerminalTests.live",
}
TESTED = ["Sources", "Plugins", "Examples", "Demos", "Tests"]
SUFFIXES = {".swift", ".transcript", ".py", ".json"}
# What the tests run: results that are older come from another build.
BUILT = [".build/release/atrium", ".build/tests/debug/AtriumPackageTests.xctest"]
KINDS = {"T": "test", "X": "transcript", "L": "planted module", "B": "code that must not compile"}
# The tests that compile what must not compile.
BUILDS = ["HostTests.ModuleImportsTests", "HostTests.ViewModelStateTests"]


class Results:
    """The tests of this run by the names that the checklist uses, and whether all their cases passed."""

    def __init__(self, *paths):
        self.passed = {}
        for case in (case for path in paths for case in XML.parse(path).iter("testcase")):
            name = f"{case.get('classname')}.{re.sub(r'[(].*', '', case.get('name'))}"
            good = case.find("failure") is None and case.find("error") is None and case.find("skipped") is None
            self.passed[name] = self.passed.get(name, True) and good

    def problem(self, name):
        if name not in self.passed:
            return f"no test '{name}' ran"
        return None if self.passed[name] else f"the test '{name}' did not pass"


class Transcript:
    """A transcript's commands, each with the lines of its output."""

    def __init__(self, text):
        self.steps = []
        for line in text.splitlines():
            if line.startswith("$ "):
                self.steps.append(([line], []))
            elif self.steps and line.startswith("> ") and not self.steps[-1][1]:
                self.steps[-1][0].append(line)
            elif line.startswith("# "):
                self.steps.append(([], []))
            elif self.steps:
                self.steps[-1][1].append(line)

    def outputs(self, command):
        """The output of each command that matches."""
        for commands, lines in self.steps:
            if any(fits(line, command) for line in commands):
                yield lines
            for number, line in enumerate(lines):
                if command.startswith("atrium> ") and fits(line, command):
                    rest = lines[number + 1:]
                    end = next((n for n, line in enumerate(rest) if line.startswith("atrium> ")), len(rest))
                    yield rest[:end]


def fits(line, pattern):
    parts = [re.escape(part) for part in pattern.split("…")]
    return re.fullmatch(".*".join(parts), line.strip()) is not None


class Checklist:
    """Looks up the proofs of a project in its files and test results."""

    def __init__(self, root, results, systems):
        self.root = root
        self.results = results
        self.systems = systems
        self.tests = Tests(root)
        self.kinds = [
            ("X", r"([\w-]+\.transcript): ((?:\$|>|atrium>) .+?) => (.+)", self.transcript),
            ("B", r"MustNotCompile/(\w+)", self.must_not_compile),
            ("L", r"Architecture/(\w+)", self.planted),
            ("T", r"test_server\.py: (\w+)\.(\w+)", self.server_test),
            ("X", r"(\w+\.py): (\w+)", self.terminal_step),
            ("T", r"(\w+(?:\.\w+)+)", self.test),
        ]

    def kinds_of(self, proofs):
        """The kinds of proof that a row's proofs are."""
        found = {kind for proof in proofs for kind, pattern, _ in self.kinds if re.fullmatch(pattern, proof)}
        if any(proof.rsplit(".", 1)[0] in BUILDS for proof in proofs):
            found.add("B")
        return found | {"L"} if "B" in found else found

    def problem(self, proof):
        """The problem with a proof; None if it holds."""
        for _, pattern, check in self.kinds:
            if match := re.fullmatch(pattern, proof):
                return check(*match.groups())
        return f"'{proof}' is not a known kind of proof"

    def test(self, name):
        problem = self.results.problem(name)
        if problem is None and not self.tests.expects(name):
            return f"the test '{name}' expects nothing"
        return problem

    def transcript(self, name, command, text):
        path = self.root / "Tests" / "Transcripts" / name
        if not path.exists():
            return f"there is no {name}"
        outputs = list(Transcript(path.read_text(encoding="utf-8")).outputs(command))
        if not outputs:
            return f"{name} has no command '{command}'"
        if not any(fits(line, text) for lines in outputs for line in lines):
            return f"'{command}' in {name} does not print '{text}'"
        return self.results.problem(TRANSCRIPTS)

    def must_not_compile(self, name):
        path = self.root / "Tests" / "MustNotCompile" / f"{name}.swift"
        if name == "Control" or not path.exists():
            return f"there is no Tests/MustNotCompile/{name}.swift that must not compile"
        return self.results.problem(MUST_NOT_COMPILE)

    def planted(self, name):
        folder = self.root / "Tests" / "Fixtures" / "Architecture" / name
        if not any("// error: [" in file.read_text(encoding="utf-8") for file in folder.rglob("*.swift")):
            return f"there is no Tests/Fixtures/Architecture/{name} with an expected violation"
        return self.results.problem(ARCHITECTURE)

    def server_test(self, group, name):
        tree = ast.parse((self.root / "Demos" / "server" / "test_server.py").read_text(encoding="utf-8"))
        groups = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == group]
        if not any(getattr(node, "name", None) == name for found in groups for node in found.body):
            return f"test_server.py has no {group}.{name}"
        return self.results.problem(SERVER)

    def terminal_step(self, script, name):
        path = self.root / "Tests" / "Terminal" / script
        if script not in TERMINALS or not path.exists():
            return f"there is no Tests/Terminal/{script} that a test runs"
        steps = re.search(r"^STEPS = \[(.*?)\]", path.read_text(encoding="utf-8"), re.M | re.S)
        if not steps or name not in re.findall(r"\w+", steps[1]):
            return f"{script} has no step {name}"
        return self.results.problem(TERMINALS[script])

    def problems(self, text):
        """All problems of the page `text`, a sentence each."""
        wrong, seen = [], []
        for number, cells in rows(text):
            seen.append(number)
            named = re.findall(r"`([^`]+)`", cells[-1])
            if number in self.systems:
                wrong += self.wording(number, cells)
                missing = self.systems[number].kinds - self.kinds_of(named)
                wrong += [f"row {number} names no {KINDS[kind]}, which its requirement asks for"
                          for kind in KINDS if kind in missing]
            else:
                wrong.append(f"row {number} is not a row of the checklist")
            if not named:
                wrong.append(f"row {number} names no proof")
            if re.search(r"\bopen:", cells[-1]):
                wrong.append(f"row {number} has an open part")
            wrong += [f"row {number}: {what}" for proof in named if (what := self.problem(proof))]
        wrong += [f"row {number} is missing" for number in self.systems if number not in seen]
        wrong += [f"row {number} appears {seen.count(number)} times"
                  for number in sorted(set(seen)) if seen.count(number) > 1]
        return wrong

    def wording(self, number, cells):
        system = self.systems[number]
        for what, has, wants in [("is called", cells[1], system.title), ("asks for", cells[2], system.requirement)]:
            if has != shown(wants):
                yield f"row {number} {what} '{shown(wants)}', not '{has}'"


class Tests:
    """The bodies of the project's Swift tests."""

    def __init__(self, root):
        self.root = root

    @functools.cached_property
    def texts(self):
        """The code of the test files, each without the contents of its strings and comments, by target."""
        texts = {}
        for tests in [self.root / "Tests", *sorted((self.root / "Examples").glob("*/Tests"))]:
            for path in sorted(tests.rglob("*.swift")):
                parts = path.relative_to(tests).parts
                if not {".build", "Fixtures", "MustNotCompile"} & set(parts):
                    target = parts[0] if len(parts) > 1 else f"{tests.parent.name}Tests"
                    texts.setdefault(target, []).append(code(path.read_text(encoding="utf-8")))
        return texts

    @functools.cached_property
    def helpers(self):
        """The functions that tests call and that expect something, by themselves or through others."""
        bodies = [(name, body) for texts in self.texts.values() for text in texts
                  for name, body in functions(text, tests=False)]
        found = set()
        while more := {name for name, body in bodies if name not in found and self.has_expectation(body, found)}:
            found |= more
        return found

    def expects(self, test):
        """Whether a test, as `Target.Suite.function`, has an expectation."""
        target, *suites, function = test.split(".")
        for text in self.texts.get(target, []):
            scopes = declarations(text, suites[-1]) if suites else [text]
            if any(self.has_expectation(body, self.helpers)
                   for scope in scopes for name, body in functions(scope) if name == function):
                return True
        return False

    @staticmethod
    def has_expectation(body, helpers):
        return bool(re.search(r"#expect\b|#require\b|\bIssue\.record\b|\bconfirmation\(", body)
                    or helpers & set(re.findall(r"\b(\w+)\s*[({]", body)))


def code(text):
    """Swift code without comments, and without the contents of its strings and regular expressions."""
    text = re.sub(r'(#*)"""\n.*?"""\1', '""', text, flags=re.S)
    text = re.sub(r'(#+)"[^\n]*?"\1|"(?:\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"(?<=[(:,=] )/(?! )(?:\\.|[^/\\\n])+/|(?<=\()/(?:\\.|[^/\\\n])+/", "/./", text)
    return re.sub(r"//[^\n]*", "", text)


def block(text, start):
    """The text from `start` to the end of the first block in braces after it."""
    depth = 0
    for match in re.finditer(r"[{}]", text[start:]):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return text[start:start + match.end()]
    return text[start:]


def declarations(text, name):
    """The types and extensions of a name."""
    for match in re.finditer(rf"\b(?:struct|class|actor|enum|extension)\s+(?:\w+\.)*{name}\b", text):
        yield block(text, match.start())


def functions(text, tests=True):
    """Names and bodies of functions; without `tests`, of those that are no tests themselves."""
    for match in re.finditer(r"(@Test\b[^{}]*?)?\bfunc\s+`?(\w+)`?", text):
        if tests or not match[1]:
            yield match[2], block(text, match.start(2))


class System:
    """A row of the design checklist: its title, what it has to do, and the kinds of proof that it asks for."""

    def __init__(self, title, requirement, proof):
        self.title, self.requirement, self.proof = title, requirement, proof
        self.kinds = set(re.findall(r"\b([TXLB])\b", proof))


def rows(text):
    """The numbered rows of the document's tables, each with its cells."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and cells[0].isdigit():
            yield int(cells[0]), cells


def shown(text):
    """A title or requirement as the page shows it: the words alone."""
    return text.replace("**", "").replace("`", "").replace("<", "\\<").replace("*", "\\*")


def read_list(text):
    """The rows of rows.tsv: number, title, requirement and proof in each line."""
    cells = (line.split("\t") for line in text.splitlines())
    return {int(number): System(*rest) for number, *rest in cells}


def design_list(text):
    """The rows of the design checklist, as rows.tsv has them."""
    return "".join(f"{number}\t{cells[1]}\t{cells[2]}\t{cells[-1]}\n" for number, cells in rows(text))


def rewritten(text, systems):
    """The page with the titles and requirements of the list; a row that is missing comes after the one before it."""
    own = dict(rows(text))
    lines = []
    for line in text.splitlines():
        if match := re.match(r"\| (\d+) \|", line):
            lines += [row_line(number, systems[number], own[number]) for number in [int(match[1])] if number in systems]
            following = int(match[1]) + 1
            while following in systems and following not in own:
                lines.append(row_line(following, systems[following], ["", ""]))
                following += 1
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def row_line(number, system, cells):
    return f"| {number} | {shown(system.title)} | {shown(system.requirement)} | {cells[-2]} | {cells[-1]} |"


def newer_files(root, results):
    """Files that the tests depend on and that changed after the results were written."""
    written = results.stat().st_mtime
    for folder in TESTED:
        for path in (root / folder).rglob("*"):
            if path.suffix in SUFFIXES and ".build" not in path.parts and path.stat().st_mtime > written:
                yield path.relative_to(root)
    yield from (pathlib.Path(name) for name in BUILT
                if (root / name).exists() and (root / name).stat().st_mtime > written)


def write(page):
    if DESIGN.exists():
        LIST.write_text(design_list(DESIGN.read_text(encoding="utf-8")), encoding="utf-8")
    systems = read_list(LIST.read_text(encoding="utf-8"))
    page.write_text(rewritten(page.read_text(encoding="utf-8"), systems), encoding="utf-8")


def main():
    if sys.argv[1:] == ["--write"]:
        write(PAGE)
        return 0
    results = [pathlib.Path(argument) for argument in sys.argv[1:]]
    if not results:
        print(__doc__, file=sys.stderr)
        return 2
    if missing := [file for file in results if not file.exists()]:
        print(f"{missing[0]} does not exist: the tests wrote no results.")
        return 1
    text = LIST.read_text(encoding="utf-8")
    proofs = Checklist(ROOT, Results(*results), read_list(text))
    wrong = [f"Docs/checklist.md: {problem}" for problem in proofs.problems(PAGE.read_text(encoding="utf-8"))]
    if DESIGN.exists() and design_list(DESIGN.read_text(encoding="utf-8")) != text:
        wrong.append(f"{LIST.relative_to(ROOT)} differs from {DESIGN}: run Tests/Checklist/checklist.py --write.")
    oldest = min(results, key=lambda file: file.stat().st_mtime)
    wrong += [f"{oldest} is older than {path}: run the tests again." for path in newer_files(ROOT, oldest)][:1]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
