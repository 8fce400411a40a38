#!/usr/bin/env python3
"""Measures the built host against lower bounds; see README.md."""
import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile

import api
import container
import contracts
import develop
import entities
import inside
import layers
import lifecycle
import navigation
import postgres
import render
import serving
import shell
import snapshots
import programs
import start
import transport
from tools import Build, aligned, table

PARTS = list(programs.PRODUCTS)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the raw figures there")
    parser.add_argument("--only", choices=PARTS, action="append", help="measure this part; may be repeated")
    parser.add_argument(
        "--rows", type=int, action="append", help="a size of the entities list; may be repeated")
    parser.add_argument("--snippets", type=int, help="the number of lines of Swift; default: 200")
    parser.add_argument("--build", metavar="DIR", help="measure what was built there; build nothing")
    parser.add_argument("--build-only", action="store_true", help="build the programs, measure nothing")
    parser.add_argument("--record", action="store_true", help="write RESULTS.md, with all parts")
    parser.add_argument("--keep", action="store_true", help="keep the data folders, and say where they are")
    options = parser.parse_args()

    parts = options.only or PARTS
    if options.record and options.only: parser.error("--record needs all parts")
    if options.build is None: programs.build(parts)
    if options.build_only: return
    build = Build(options.build or programs.RELEASE)
    folder = tempfile.mkdtemp(prefix="atrium-bench-")
    try:
        if any("atrium" in programs.PRODUCTS[part] for part in parts):
            build.script(os.path.join(folder, "fresh"), "modules")
        about = machine()
        print("\n".join(f"{name}: {value}" for name, value in about.items()), file=sys.stderr)
        figures = {part: MEASURES[part](build, folder, options) for part in PARTS if part in parts}
        about["load after"] = load()
    finally:
        if options.keep: print(f"Kept {folder}", file=sys.stderr)
        else: shutil.rmtree(folder)

    tables = {part: tables_of(part, found) for part, found in figures.items()}
    print("\n\n".join(tables.values()))
    if options.record:
        with open(RESULTS, "w") as file: file.write(results(about, tables))
    if options.json:
        with open(options.json, "w") as file:
            raw = [figure.raw() for found in figures.values() for figure in found]
            json.dump({"about": about, "figures": raw}, file, indent=1)


MEASURES = {
    "start": lambda build, folder, _: start.measure(build, folder),
    "memory": lambda build, folder, _: start.measure_memory(build, folder),
    "shell": lambda build, folder, _: shell.measure(build, folder),
    "serving": lambda build, folder, _: serving.measure(build, folder),
    "container": lambda build, *_: container.measure(build),
    "render": lambda build, *_: render.measure(build),
    "navigation": lambda build, *_: navigation.measure(build),
    "lifecycle": lambda build, folder, _: lifecycle.measure(build, folder),
    "contracts": lambda build, folder, _: contracts.measure(build, os.path.join(folder, "contracts")),
    "develop": lambda build, folder, _: develop.measure(build, folder),
    "entities": lambda build, folder, options: entities.measure(build, folder, options.rows or entities.SIZES),
    "postgres": lambda build, folder, options: postgres.measure(build, folder, options.rows or postgres.SIZES),
    "snapshots": lambda build, folder, options: snapshots.measure(build, folder, options.rows or snapshots.SIZES),
    "api": lambda build, *_: api.measure(build),
    "transport": lambda build, folder, _: transport.measure(build, folder),
    "layers": lambda build, *_: layers.measure(build),
    "inside": lambda build, folder, options: inside.measure(build, folder, options.snippets),
}
RESULTS = os.path.join(programs.ROOT, "Benchmarks", "RESULTS.md")
HEAD = """# Results

One run of `make bench`, written by `Benchmarks/run.py --record` ([what is measured](README.md)). Compare the ratios of a
row: the absolute figures of this machine differ by half from one minute to the next, and those of two machines by a
factor of three. To see whether a commit made the host slower, use `make bench-compare`; each `make test` also runs
`Benchmarks/instructions.py`. Unmet goals are marked **no**.
"""


def tables_of(part, figures):
    """The figures of a part; of the entities those of the largest list, and how they grow with its size."""
    if part != "entities": return table(figures)
    largest = max(figure.details["entities"] for figure in figures)
    return f"{table([figure for figure in figures if figure.details['entities'] == largest])}\n\n{growth(figures)}"


def results(about, tables):
    facts = "\n".join(f"- {name[0].upper()}{name[1:]}: {value}" for name, value in about.items())
    parts = "\n".join(f"\n## {part[0].upper()}{part[1:]}\n\n{text}" for part, text in tables.items())
    return f"{HEAD}\n{facts}\n{parts}\n"


def growth(lists):
    """The cost of each command at every size: the command minus `where`, the service alone, the C API."""
    sizes = sorted({figure.details["entities"] for figure in lists})
    rows = [["µs: command / service / C API"] + [f"{size:,} entities" for size in sizes]]
    for what in dict.fromkeys(figure.details["case"] for figure in lists):
        cells = []
        for size in sizes:
            found = [
                figure for figure in lists
                if (figure.details["case"], figure.details["entities"]) == (what, size)]
            parts = {figure.details["layer"]: figure.ours for figure in found} | {"C API": found[0].reference}
            cells.append(" / ".join(
                f"{statistics.median(parts[part]):,.0f}" if part in parts else "–"
                for part in ("command", "service", "C API")))
        rows.append([what] + cells)
    return aligned(rows)


def machine():
    with open("/proc/cpuinfo") as file:
        models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return {
        "date": datetime.datetime.now().strftime("%Y-%m-%d %H:%M"),
        "commit": subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=programs.ROOT, capture_output=True, text=True).stdout.strip(),
        "machine": f"{os.cpu_count()} × {(models or ['unknown'])[0]}, "
            f"{platform.system()} {platform.release()}",
        "command": "python3 " + " ".join(sys.argv), "load before": load()}


def load():
    return " ".join(f"{value:.1f}" for value in os.getloadavg())


if __name__ == "__main__":
    main()
