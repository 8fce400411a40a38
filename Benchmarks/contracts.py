"""Measures modules over contracts against the same modules with these types inside."""
import os
import shutil
import subprocess

import lifecycle
from tools import Figure, Host

MODULES, CONTRACTS, CHANGES = 100, 20, 15

TYPES = """
public protocol ThingService: Sendable { func things() -> [Thing] }
public struct Thing: Sendable {
    public let id: Int
    public init(id: Int) { self.id = id }
}
"""
MODULE = """
import AtriumKit
%s
final class FillerModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any ThingService).self, named: "filler-number-0000", live: { _ in Things() },
            local: { _ in Things() }, mock: { _ in Things() })
        registry.screen(FillerDestination.self) { _ in FillerView() }
    }
}
struct Things: ThingService { func things() -> [Thing] { [Thing(id: 1)] } }
struct FillerDestination: Destination { static let pattern: LinkPattern = "filler-number-0000" }
struct FillerView: View { var body: Content { Title("Filler") } }
"""
CONTRACT_JSON = '{ "name": "%s", "version": "1.0.0", "summary": "Things" }'
MODULE_JSON = """{
  "name": "Filler0000", "version": "1.0.0", "entry": "FillerModule", "summary": "Is one of many", %s
  "screens": { "filler-number-0000": "A title" }
}"""


def measure(build, folder):
    sides = [installed(build, os.path.join(folder, name), name == "over contracts")
             for name in ("over contracts", "without")]
    for host, options, _ in sides:
        # New libraries are tried and copied once.
        subprocess.run([*host, *options], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    over, without = lifecycle.launched(build, [[*host, *options] for host, options, _ in sides])
    updates = [updated(build, *side) for side in sides]
    what, beside = f"{MODULES} modules over {CONTRACTS} contracts", "the same without"
    return [
        lifecycle.started(f"start, {what}", beside, over, without, 1.05),
        Figure(f"update, digest known, of {what}", beside, "ms", *updates, 1.05)]


def installed(build, folder, has_contracts):
    """The command that starts a host of these modules, its options, and a module's path."""
    family = lifecycle.Family(build, folder)
    imports = [f"Terms{number:02}" for number in range(CONTRACTS)] if has_contracts else [None]
    templates = [template(build, folder, contract) for contract in imports]
    modules = []
    for number in range(1, MODULES + 1):
        content, digits = templates[number % len(templates)], f"{number:04}".encode()
        for text in (b"Filler", b"filler-number-"): content = content.replace(text + b"0000", text + digits)
        path = os.path.join(folder, f"libFiller{number:04}.so")
        family.write(path, content)
        modules.append((f"Filler{number:04}", path))
    data, options = family.site("site", modules)
    return [build.host, *options, "--data", data], ["-c", "where"], modules[0][1]


def template(build, folder, contract):
    """The content of a module's library over a contract, which is installed; or with its types inside."""
    own = os.path.join(folder, contract or "types")
    if contract:
        library = os.path.join(folder, f"lib{contract}.so.1")
        compiled(
            build, own, contract, "contract.json", CONTRACT_JSON % contract, TYPES, library,
            "-enable-library-evolution", "-Xlinker", f"-soname=lib{contract}.so.1")
        shutil.copy(library, os.path.join(own, f"lib{contract}.so"))
    result = os.path.join(folder, f"template-of-{contract}")
    options = ["-lAtriumKit"] + (["-I", own, "-L", own, f"-l{contract}"] if contract else [])
    compiled(
        build, own + "-module", "Filler0000", "module.json",
        MODULE_JSON % (f'"contracts": {{ "{contract}": "^1.0" }},' if contract else ""),
        MODULE % (f"import {contract}" if contract else TYPES), result, *options)
    with open(result, "rb") as file: return file.read()


def compiled(build, folder, module, manifest, declared, source, result, *options):
    os.makedirs(folder)
    file = lambda name: os.path.join(folder, name)
    for name, text in ((manifest, declared), ("Source.swift", source)):
        with open(file(name), "w") as output: output.write(text)
    compiler = shutil.which("swiftc")
    subprocess.run(
        [os.path.join(build.folder, "ManifestTool-tool"), file(manifest), "--output", file("Generated.swift"),
         "--swiftc", compiler], check=True)
    subprocess.run(
        [compiler, "-emit-library", "-emit-module", "-emit-module-path", file(f"{module}.swiftmodule"),
         "-parse-as-library", "-swift-version", "6", "-O", "-wmo", "-module-name", module,
         "-I", os.path.join(build.folder, "Modules"), "-L", build.folder, *options, "-o", result,
         file("Generated.swift"), file("Source.swift")], check=True)


def updated(build, host, _, path):
    """The times of updates of one module to builds that were tried before, in milliseconds."""
    with open(path, "rb") as file: content = file.read()
    data, options = host[-1], host[1:-2]
    builds = [content + b"%08d" % number for number in range(CHANGES)]

    def session():
        with Host(build, data, *options, "--json") as running:
            def update(number):
                lifecycle.Family.write(path, builds[number])
                return lifecycle.milliseconds(running, "module update Filler0001")
            return [update(number) for number in range(CHANGES)]

    # The first one tries the builds.
    session()
    return session()
