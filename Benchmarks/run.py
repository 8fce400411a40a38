#!/usr/bin/env python3
"""Measures the built host against lower bounds; see README.md."""
import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile

import api
import container
import develop
import entities
import layers
import lifecycle
import navigation
import postgres
import render
import serving
import shell
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
    parser.add_argument("--build", metavar="DIR", help="measure what was built there; build nothing")
    parser.add_argument("--build-only", action="store_true", help="build the programs, measure nothing")
    parser.add_argument("--keep", action="store_true", help="keep the data folders, and say where they are")
    options = parser.parse_args()

    parts = options.only or PARTS
    if options.build is None: programs.build(parts)
    if options.build_only: return
    build = Build(options.build or programs.RELEASE)
    folder = tempfile.mkdtemp(prefix="atrium-bench-")
    try:
        if any("atrium" in programs.PRODUCTS[part] for part in parts):
            build.script(os.path.join(folder, "fresh"), "modules")
        about = machine()
        print("\n".join(f"{name}: {value}" for name, value in about.items()), file=sys.stderr)
        figures = []
        if "start" in parts: figures += start.measure(build, folder)
        if "memory" in parts: figures += start.measure_memory(build, folder)
        if "shell" in parts: figures += shell.measure(build, folder)
        if "serving" in parts: figures += serving.measure(build, folder)
        if "container" in parts: figures += container.measure(build)
        if "render" in parts: figures += render.measure(build)
        if "navigation" in parts: figures += navigation.measure(build)
        if "lifecycle" in parts: figures += lifecycle.measure(build, folder)
        if "develop" in parts: figures += develop.measure(build, folder)
        if "postgres" in parts: figures += postgres.measure(build, folder, options.rows or postgres.SIZES)
        if "api" in parts: figures += api.measure(build)
        if "transport" in parts: figures += transport.measure(build, folder)
        if "layers" in parts: figures += layers.measure(build)
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
            raw = [figure.raw() for figure in figures + lists]
            json.dump({"about": about, "figures": raw}, file, indent=1)


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
        "machine": f"{os.cpu_count()} × {(models or ['unknown'])[0]}, "
            f"{platform.system()} {platform.release()}",
        "command": "python3 " + " ".join(sys.argv), "load before": load()}


def load():
    return " ".join(f"{value:.1f}" for value in os.getloadavg())


if __name__ == "__main__":
    main()
