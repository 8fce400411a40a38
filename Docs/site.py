#!/usr/bin/env python3
"""Builds the site of the documentation: site.py MODULES [OUTPUT]; without OUTPUT it only checks.

The pages of this folder are Markdown that a forge shows as it is. A DocC catalogue is made of them: links between
pages become `doc:` links, names of AtriumKit in code spans become links to their pages, and the lists of README.md
become the topics of the first page, so that nothing is written twice. Fails if DocC has a warning, a page is not
in README.md, or a page has the address of a type.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DOCS = pathlib.Path(__file__).resolve().parent
FIRST = """\
<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=documentation/atriumkit/">
<title>Atrium</title>
<a href="documentation/atriumkit/">Atrium for authors of modules</a>
"""
NOT_PAGES = {"README.md", "checklist.md"}


def slug(heading):
    """The anchor that a forge gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def headings(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.findall(r"^#+ (.+)$", text, re.M)


class Symbols:
    def __init__(self, graph):
        counts = {}
        for symbol in json.loads(graph.read_text())["symbols"]:
            path = "/".join(symbol["pathComponents"])
            counts[path] = counts.get(path, 0) + 1
        self.unique = {path for path, count in counts.items() if count == 1}
        self.addresses = {path.lower() for path in counts if "/" not in path}


class Catalogue:
    def __init__(self, symbols):
        self.symbols = symbols
        self.index = (DOCS / "README.md").read_text()
        self.pages = [path for path in sorted([*DOCS.glob("*.md"), *DOCS.glob("decisions/0*.md")])
                      if path.name not in NOT_PAGES]
        self.groups = {}
        group = ""
        for line in self.index.splitlines():
            if line.startswith("### "):
                group = line[4:]
            for target in re.findall(r"^- \[.*?\]\((\S+?\.md)\)", line):
                self.groups[(DOCS / target).resolve()] = group

    def faults(self):
        for page in self.pages:
            if page.parent == DOCS and page not in self.groups:
                yield f"Docs/README.md does not list {page.name}"
            if page.stem.lower() in self.symbols.addresses:
                yield f"{page.name} would have the address of the type of this name"

    def write(self, folder):
        for page in self.pages:
            title, _, rest = page.read_text().partition("\n")
            kind = self.groups.get(page, "Decision")
            metadata = f'@Metadata {{\n    @PageKind(article)\n    @TitleHeading("{kind}")\n}}\n'
            title = title.replace("`", "")  # the list of pages would show them
            (folder / page.name).write_text(f"{title}\n\n{metadata}{self.converted(rest, page)}")
        title, _, rest = self.index.partition("\n")
        rest = rest.replace("## Pages\n", "## Topics\n")
        rest = re.sub(r"^- \[.*?\]\((?:\S*/)?(\w[\w-]*)\.md\).*$", r"- <doc:\1>", rest, flags=re.M)
        decisions = [f"- <doc:{page.stem}>\n" for page in self.pages if page.parent != DOCS]
        rest += "\n### Decisions\n\n" + "".join(decisions)
        (folder / "AtriumKit.md").write_text("# ``AtriumKit``\n" + self.converted(rest, DOCS / "README.md"))

    def converted(self, text, page):
        """The text with its links and names as DocC writes them; blocks of code stay."""
        parts = re.split(r"(^```.*?^```$|^(?:    .*\n)+)", text, flags=re.M | re.S)
        for number in range(0, len(parts), 2):
            part = re.sub(r"<!--.*?-->\n?", "", parts[number], flags=re.S)
            part = re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", lambda match: self.link(*match.groups(), page), part)
            parts[number] = re.sub(r"(?<![`\[])`([A-Z]\w*(?:\.\w+)?)`(?!`)", self.name, part)
        return "".join(parts)

    def link(self, text, target, page):
        if re.match(r"\w+:", target):
            return f"[{text}]({target})"
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        if path == DOCS / "README.md":
            return f"[{text}](doc:AtriumKit)"
        if path.name == "AtriumTesting":
            return f"[{text}](/documentation/atriumtesting)"
        if path not in self.pages:
            return text
        heading = next((heading for heading in headings(path.read_text()) if slug(heading) == anchor), anchor)
        fragment = "#" + re.sub(r"[`:]", "", heading).replace(" ", "-") if anchor else ""
        return f"[{text}](doc:{path.stem}{fragment})"

    def name(self, match):
        path = match[1].replace(".", "/")
        return f"``{path}``" if path in self.symbols.unique else match[0]


def run(*command):
    """Runs a program of the toolchain; a warning counts as an error."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0 or "warning:" in done.stdout:
        sys.exit(f"{done.stdout}\n{command[0]} failed; the pages that it names are made of those in Docs.")


def extract(module, modules, folder):
    """Writes the symbols that a compiled module declares."""
    target = json.loads(subprocess.check_output(["swiftc", "-print-target-info"]))["target"]["unversionedTriple"]
    folder.mkdir()
    run("swift", "symbolgraph-extract", "-module-name", module, "-I", modules, "-target", target,
        "-minimum-access-level", "public", "-skip-inherited-docs", "-skip-synthesized-members", "-output-dir", folder)


def convert(module, graphs, output, *options):
    run("docc", "convert", *options, "--additional-symbol-graph-dir", graphs, "--output-path", output,
        "--fallback-bundle-identifier", f"atrium.{module}", "--fallback-display-name", module,
        "--warnings-as-errors")


def main(modules, output=None):
    # A page of HTML for each symbol, which only a site needs.
    hosting = "--transform-for-static-hosting" if output else "--no-transform-for-static-hosting"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for module in ["AtriumKit", "AtriumTesting"]:
            extract(module, modules, folder / f"{module}.symbols")
        catalogue = Catalogue(Symbols(folder / "AtriumKit.symbols/AtriumKit.symbols.json"))
        faults = list(catalogue.faults())
        if faults:
            sys.exit("\n".join(faults))
        (folder / "AtriumKit.docc").mkdir()
        catalogue.write(folder / "AtriumKit.docc")
        convert("AtriumKit", folder / "AtriumKit.symbols", folder / "AtriumKit.doccarchive", folder / "AtriumKit.docc",
                hosting)
        convert("AtriumTesting", folder / "AtriumTesting.symbols", folder / "AtriumTesting.doccarchive", hosting)
        if not output:
            return
        built = pathlib.Path(f"{output}.new")
        shutil.rmtree(built, ignore_errors=True)
        run("docc", "merge", folder / "AtriumKit.doccarchive", folder / "AtriumTesting.doccarchive",
            "--synthesized-landing-page-name", "Atrium", "--output-path", built)
        # The address without a path leads to the first page.
        (built / "index.html").write_text(FIRST)
        shutil.rmtree(output, ignore_errors=True)
        built.rename(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
