#!/usr/bin/env python3
"""Checks that the documents agree with the code.

- Each name in a code span of the pages in NAMED exists as a declaration or a path.
- The lines of each Swift block are in a compiled file, in this order; Docs/atriumkit.md is left out,
  because its examples belong to an invented module.
- Each link to a file of the project has a target.

Prints nothing and exits with 0 if everything holds; otherwise prints a line for each fault and exits with 1.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMED = ["Docs/architecture.md", "Docs/atriumkit.md"]
INVENTED = "Docs/atriumkit.md"
CODE = ["Sources", "Plugins", "Examples", "Demos", "Tests"]
SKIPPED = {".build", "Fixtures", "MustNotCompile"}


def files(root, folders, *suffixes):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes and not SKIPPED & set(path.relative_to(root).parts):
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
        self.swift = [[line.strip() for line in read(path).splitlines() if line.strip()]
                      for path in files(root, CODE, ".swift")]

    def missing(self, span, invented=()):
        """The names of a code span that do not exist, except for those of the page's own examples."""
        if re.fullmatch(r"[\w.+/-]+", span) and (self.root / span).exists():
            return []
        if "/" in span:
            return [span]
        names = re.findall(r"[A-Za-z_]\w*", span)
        return [name for name in names if name not in invented
                and name not in (self.declared if name[0].isupper() else self.words)]

    def has_block(self, lines):
        """Whether a file has the lines in this order, with at most three others between two of them."""
        lines = [line.strip() for line in lines if line.strip()]
        return any(self.follow(text, start, lines) for text in self.swift
                   for start in range(len(text)) if text[start] == lines[0])

    @staticmethod
    def follow(text, start, lines):
        for line in lines:
            window = text[start:start + 4]
            if line not in window:
                return False
            start += window.index(line) + 1
        return True


def blocks(text, language):
    return [block.splitlines() for block in re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)]


def spans(text):
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def problems(root):
    code = Code(root)
    for page in NAMED:
        text = read(root / page) if (root / page).exists() else ""
        examples = " ".join(line for block in blocks(text, "swift") for line in block) if page == INVENTED else ""
        invented = set(re.findall(r"\w+", examples))
        for span in spans(text):
            for name in code.missing(span, invented):
                yield f"{page} names '{name}', which does not exist"
    documents = [*root.glob("*.md"), *files(root, ["Docs", "Demos", "Tests"], ".md")]
    for document in documents:
        where = document.relative_to(root)
        for block in blocks(read(document), "swift") if str(where) != INVENTED else []:
            if not code.has_block(block):
                yield f"{where} has Swift code that no compiled file has: {block[0].strip()}"
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", read(document)):
            if not re.match(r"\w+:", link) and not (document.parent / link).exists():
                yield f"{where} links to '{link}', which does not exist"


def main():
    wrong = list(problems(ROOT))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
