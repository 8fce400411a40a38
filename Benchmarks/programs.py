"""Builds the programs and modules of the benchmarks; they are targets of the root package."""
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RELEASE = os.path.join(ROOT, ".build", "release")

HOST = ["atrium", "Session", "UserProfile", "Entities", "HTTPTransport"]
MODULES = ["BenchBase", "BenchDependent", "BenchEager", "BenchFiller", "BenchPulse"]
# The products that each part of the benchmarks runs.
PRODUCTS = {
    "start": HOST + ["BenchBare", "BenchLaunch"],
    "memory": HOST + ["BenchBare"],
    "shell": HOST,
    "serving": HOST,
    "container": ["BenchContainer"],
    "navigation": ["BenchNavigation"],
    "render": ["BenchRender"],
    "lifecycle": HOST + ["BenchBare", "BenchLaunch"] + MODULES,
    "contracts": HOST + ["BenchBare", "BenchLaunch"],
    "develop": HOST,
    "entities": HOST + ["BenchReference", "BenchService"],
    "postgres": HOST + ["PostgreSQL", "BenchLibpq", "BenchService"],
    "snapshots": HOST + ["PostgreSQL"],
    "api": ["BenchAPI"],
    "transport": HOST + ["BenchBare", "BenchLaunch", "BenchTransport"],
    "layers": ["BenchLayers"],
    "inside": HOST + ["BenchCalls"],
}


def build(parts):
    """Builds the products of these parts in the folder in which `make build` leaves the host.

    The first build ignores the cached plan of `make build`, which does not include these targets.
    """
    products = dict.fromkeys(product for part in parts for product in PRODUCTS[part])
    options = ["--disable-build-manifest-caching"]
    for product in products:
        run = subprocess.run(
            ["swift", "build", "-c", "release", "--package-path", ROOT, "--product", product, *options],
            env=os.environ | {"ATRIUM_BENCHMARKS": "1"}, capture_output=True, text=True)
        if run.returncode != 0: raise SystemExit(run.stdout + run.stderr)
        options = []
