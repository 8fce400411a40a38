#!/usr/bin/env python3
"""Writes the reference of AtriumKit and AtriumTesting as Markdown: reference.py MODULES OUTPUT.

OUTPUT gets a folder for each module with a page for each type, and README.md, which lists them. What the declarations
say comes from the compiled modules in MODULES, so it is that of an SDK without sources. Docs/site.py makes the site.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

MODULES = ["AtriumKit", "AtriumTesting"]


def extract(module, modules, folder):
    """Returns the public symbols of a compiled module, with those that it adds to the types of others."""
    target = json.loads(subprocess.check_output(["swiftc", "-print-target-info"]))["target"]["unversionedTriple"]
    subprocess.run(
        ["swift", "symbolgraph-extract", "-module-name", module, "-I", modules, "-target", target,
         "-minimum-access-level", "public", "-skip-inherited-docs", "-skip-synthesized-members", "-output-dir", folder],
        check=True)
    graphs = sorted(folder.glob(f"{module}*.symbols.json"))
    return [symbol for graph in graphs for symbol in json.loads(graph.read_text())["symbols"]]


def text(symbols):
    """The declarations of a name, such as a requirement and its default, with their documentation, each once."""
    declarations = ["".join(part["spelling"] for part in symbol.get("declarationFragments", [])) for symbol in symbols]
    comments = ["\n".join(line["text"] for line in symbol.get("docComment", {}).get("lines", [])).strip()
                for symbol in symbols]
    code = "\n".join(dict.fromkeys(declarations))
    return "\n\n".join([f"```swift\n{code}\n```", *dict.fromkeys(filter(None, comments))]) + "\n\n"


def summary(symbol):
    lines = [line["text"].strip() for line in symbol.get("docComment", {}).get("lines", [])]
    return " ".join(lines[:lines.index("") if "" in lines else len(lines)])


def page(name, symbols):
    """The page of a type: itself, then its members in the order of their names."""
    members = {}
    for symbol in symbols:
        members.setdefault(tuple(symbol["pathComponents"][1:]), []).append(symbol)
    parts = [f"# {name}\n\n"]
    if () in members:
        parts.append(text(members.pop(())))
    for path in sorted(members):
        parts.append(f"## {'.'.join(path)}\n\n{text(members[path])}")
    return "".join(parts).rstrip() + "\n"


def write(module, symbols, output):
    """Writes the pages of a module; returns its part of the list."""
    (output / module).mkdir(parents=True)
    types = {}
    for symbol in symbols:
        types.setdefault(symbol["pathComponents"][0].partition("(")[0], []).append(symbol)
    lines = [f"## {module}\n\n"]
    for name in sorted(types):
        # The name of an operator is no file name.
        file = name if name.isidentifier() else "operators"
        with open(output / module / f"{file}.md", "a", encoding="utf-8") as stream:
            stream.write(page(name, types[name]))
        own = [symbol for symbol in types[name] if len(symbol["pathComponents"]) == 1]
        words = summary(own[0]) if own else "What the module adds to it."
        lines.append(f"- [{name}]({module}/{file}.md): {words or 'Without a comment.'}\n")
    return "".join(lines)


def main(modules, output):
    output = pathlib.Path(output)
    parts = ["# Reference\n", "The types that a module can use, with their members. `grep -r` finds a name.\n"]
    for module in MODULES:
        with tempfile.TemporaryDirectory() as folder:
            parts.append(write(module, extract(module, modules, pathlib.Path(folder)), output))
    (output / "README.md").write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
