#!/usr/bin/env python3
"""Measures the built host against what it can't be faster than; README.md says how."""
import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile

import entities
import shell
import start
from tools import Build, table

PARTS = ["start", "memory", "shell", "entities"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the raw figures there")
    parser.add_argument("--only", choices=PARTS, action="append", help="measure this part; may be repeated")
    parser.add_argument("--rows", type=int, action="append", help="a size of the entities list; may be repeated")
    parser.add_argument("--build", default=".build/release", help="where the host was built")
    parser.add_argument("--keep", action="store_true", help="keep the data folders, and say where they are")
    options = parser.parse_args()

    build, parts = Build(options.build), options.only or PARTS
    folder = tempfile.mkdtemp(prefix="atrium-bench-")
    try:
        build.script(os.path.join(folder, "fresh"), "modules")
        about = machine()
        print("\n".join(f"{name}: {value}" for name, value in about.items()), file=sys.stderr)
        figures = []
        if "start" in parts: figures += start.measure(build, folder)
        if "memory" in parts: figures += start.measure_memory(build, folder)
        if "shell" in parts: figures += shell.measure(build, folder)
        lists = entities.measure(build, folder, options.rows or entities.SIZES) if "entities" in parts else []
        about["load after"] = load()
    finally:
        if options.keep: print(f"Kept {folder}", file=sys.stderr)
        else: shutil.rmtree(folder)

    largest = max((figure.details["entities"] for figure in lists), default=None)
    print(table(figures + [figure for figure in lists if figure.details["entities"] == largest]))
    if lists: print("\n" + growth(lists))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"about": about, "figures": [figure.raw() for figure in figures + lists]}, file, indent=1)


def growth(lists):
    """What each command costs at every size: the whole of it, less `where`, and the same SQL."""
    sizes = sorted({figure.details["entities"] for figure in lists})
    rows = [["µs: whole / net / C API"] + [f"{size:,} entities" for size in sizes]]
    for what in dict.fromkeys(figure.details["case"] for figure in lists):
        found = {figure.details["entities"]: figure for figure in lists if figure.details["case"] == what}
        cells = [[found[size].details["wholeCommand"], found[size].ours, found[size].reference] for size in sizes]
        rows.append([what] + [" / ".join(f"{statistics.median(part):,.0f}" for part in cell) for cell in cells])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rows.insert(1, ["-" * width for width in widths])
    return "\n".join("| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths)) + " |" for row in rows)


def machine():
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")
    return {
        "date": datetime.datetime.now().strftime("%Y-%m-%d %H:%M"),
        "machine": f"{os.cpu_count()} × {model}, {platform.system()} {platform.release()}",
        "command": "python3 " + " ".join(sys.argv), "load before": load()}


def load():
    return " ".join(f"{value:.1f}" for value in os.getloadavg())


if __name__ == "__main__":
    main()
