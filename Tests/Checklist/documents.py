#!/usr/bin/env python3
"""Checks that the documents agree with the code.

- Each name in a code span of the pages in NAMED exists as a declaration or a path.
- Each type in a code span of the other pages that Docs/README.md lists exists; some pages name what is not here.
- The lines of each Swift block are in a compiled file, in this order; `// …` stands for lines left out.
- Each JSON block is JSON, or members of an object.
- Each public type of AtriumKit stands once in the tables of Docs/types.md.
- Each link to a file of the project has a target, and each anchor a heading.

Prints nothing and exits with 0 if everything holds; otherwise prints a line for each fault and exits with 1.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMED = ["Docs/architecture.md", "Docs/data-flow.md", "Docs/patterns.md"]
NAMES_OF_OTHERS = ["Docs/apis.md", "Docs/backend.md", "Docs/architecture-check.md"]
LANGUAGE = {"Bool", "CaseIterable", "Codable", "Encodable", "MainActor", "Observable", "Sendable", "String"}
CODE = ["Sources", "Plugins", "Examples", "Demos", "Tests"]
SKIPPED = {".build", "Fixtures", "MustNotCompile"}
COMPILED_FIXTURES = ("Tests/Fixtures/Contracts/", "Tests/Fixtures/Modules/")
# Modules that break rules; tests compile them, and the page of the rules shows their code.
ARCHITECTURE_FIXTURES = "Tests/Fixtures/Architecture/"
RULES = "Docs/architecture-check.md"


def files(root, folders, *suffixes, compiled=COMPILED_FIXTURES):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root)
            if path.suffix in suffixes and (
                    str(name).startswith(compiled) or not SKIPPED & set(name.parts)):
                yield path


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


class Code:
    """The declarations of a project."""

    def __init__(self, root):
        self.root = root
        texts = [read(path) for path in files(root, CODE, ".swift", ".c", ".h", ".py", ".json")]
        texts += [read(path) for path in [root / "Package.swift", root / "Makefile"] if path.exists()]
        self.words = {word for text in texts for word in re.findall(r"[A-Za-z_][\w-]*", text)}
        self.words |= {part for word in self.words for part in word.split("-")}
        declared = r"\b(?:struct|class|enum|actor|protocol|typealias|func|var|let|case|macro|associatedtype)\s+(\w+)"
        self.declared = {name for text in texts for name in re.findall(declared, text)}
        self.declared |= {part for path in root.rglob("Package.swift") if ".build" not in path.parts
                          for part in re.findall(r'"(\w+)"', read(path))}
        self.swift = self.lines(files(root, CODE, ".swift"))
        planted = files(root, ["Tests/Fixtures"], ".swift", compiled=ARCHITECTURE_FIXTURES)
        self.planted = self.lines(path for path in planted if ARCHITECTURE_FIXTURES in str(path))

    @staticmethod
    def lines(paths):
        return [[line.strip() for line in read(path).splitlines() if line.strip()] for path in paths]

    def missing(self, span):
        """The names of a code span that do not exist."""
        if re.fullmatch(r"[\w.+/-]+", span) and (self.root / span).exists():
            return []
        if "/" in span:
            return [span]
        names = re.findall(r"[A-Za-z_]\w*", span)
        return [name for name in names
                if name not in (self.declared | LANGUAGE if name[0].isupper() else self.words)]

    def missing_type(self, span):
        """Whether a code span that is the name of a type, perhaps with a member, names none."""
        match = re.fullmatch(r"([A-Z]\w*[a-z]\w*)(?:\.(?!swift)\w+)?", span)
        return bool(match) and match[1] not in self.declared | LANGUAGE

    def has_block(self, lines, page):
        """Whether a file has the lines in this order: at most three others between two of them, any at `// …`."""
        lines = [line.strip() for line in lines if line.strip()]
        texts = self.swift + (self.planted if page == RULES else [])
        return any(self.follow(text, start, lines) for text in texts
                   for start in range(len(text)) if text[start] == lines[0])

    @staticmethod
    def follow(text, start, lines):
        reach = 4
        for line in lines:
            if line == "// …":
                reach = len(text)
                continue
            window, reach = text[start:start + reach], 4
            if line not in window:
                return False
            start += window.index(line) + 1
        return True


def blocks(text, language):
    return [block.splitlines() for block in re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)]


def spans(text):
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def slugs(text):
    """The anchors that a forge gives the headings of a page."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.+)$", text, re.M)}


def problems(root):
    code = Code(root)
    for page in NAMED:
        for span in spans(read(root / page)) if (root / page).exists() else []:
            for name in code.missing(span):
                yield f"{page} names '{name}', which does not exist"
    index = root / "Docs/README.md"
    listed = re.findall(r"^- \[.*?\]\((\S+\.md)\)", read(index), re.M) if index.exists() else []
    for page in [f"Docs/{name}" for name in listed]:
        for span in spans(read(root / page)) if page not in NAMED + NAMES_OF_OTHERS else []:
            if code.missing_type(span):
                yield f"{page} names '{span}', which does not exist"
    yield from types(root)
    documents = [*root.glob("*.md"), *files(root, ["Docs", "Demos", "Tests", "Examples", "Benchmarks", "Sources", "Plugins"], ".md")]
    for document in documents:
        where = document.relative_to(root)
        for block in blocks(read(document), "swift"):
            if not code.has_block(block, str(where)):
                yield f"{where} has Swift code that no compiled file has: {block[0].strip()}"
        for block in blocks(read(document), "json"):
            text = "\n".join(block)
            try:
                json.loads(text if text.startswith("{") else "{" + text + "}")
            except ValueError as error:
                yield f"{where} has a JSON block that is wrong: {block[0].strip()}: {error}"
        for link, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", read(document)):
            target = document.parent / link if link else document
            if re.match(r"\w+:", link):
                continue
            if not target.exists():
                yield f"{where} links to '{link}', which does not exist"
            elif anchor and target.suffix == ".md" and anchor not in slugs(read(target)):
                yield f"{where} links to '{link}#{anchor}', which has no such heading"


def types(root):
    """The faults of the page with the public types of AtriumKit."""
    page, kit = root / "Docs/types.md", root / "Sources/AtriumKit/Sources/AtriumKit"
    if not page.exists():
        return
    rows = "\n".join(line.split("|")[1] for line in read(page).splitlines() if line.startswith("| `"))
    listed = re.findall(r"`([A-Z]\w*)`", rows)
    kinds = "class|struct|enum|protocol|actor|typealias"
    declared = re.compile(rf"^(?!.*@_spi)(?:@[\w()]+ )*public (?:final )?(?:{kinds}) ([A-Z]\w*)", re.M)
    public = {name for path in kit.rglob("*.swift") for name in declared.findall(read(path))}
    for name in sorted(public ^ set(listed)):
        yield f"Docs/types.md {'lacks' if name in public else 'has'} '{name}', which is {'' if name in public else 'not '}public"
    for name in sorted({name for name in listed if listed.count(name) > 1}):
        yield f"Docs/types.md has '{name}' twice"


def main():
    wrong = list(problems(ROOT))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
