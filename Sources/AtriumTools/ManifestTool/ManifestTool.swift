import AtriumManifest
import FoundationEssentials
import Glibc

/// Checks a module's `module.json` and writes the Swift file that embeds it; run by the plugin EmbedManifest.
///
/// From the sources after `--sources` it reads the screens, unless the manifest lists them, and the contribution
/// points, checks the numbers of migrations, and writes the proxies of the services.
///
/// A contract's `contract.json` is checked and embedded likewise; it has no entry.
///
/// With `--stamp-compiler`, as the plugin StampCompiler runs it, it writes the compiler's version instead.
/// Errors go to standard error in the format of compilers, so that editors jump to the line.
@main
struct ManifestTool {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            _ = "\(error)\n".withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        guard arguments.count == 5 || arguments.count > 5 && arguments[5] == "--sources",
            arguments[1] == "--output", arguments[3] == "--swiftc"
        else {
            throw ToolError(
                "usage: ManifestTool (<module.json> | <contract.json> | --stamp-compiler) --output <File.swift> --swiftc <path> "
                    + "[--sources <File.swift>…]")
        }
        let (path, output) = (arguments[0], arguments[2])
        let compiler = try CompilerRun(arguments[4])
        if path == "--stamp-compiler" {
            return try write(GeneratedSource.compilerStamp(version: compiler.version()), to: output)
        }
        let json = try readManifest(path)
        if path.hasSuffix("/" + ContractManifest.fileName) {
            let manifest = try ContractManifest.stamped(json, file: path, compiler: compiler.version())
            return try write(GeneratedSource.contract(manifest: manifest), to: output)
        }
        let code = ModuleCode(Array(arguments.dropFirst(6)))
        let screens = try screens(in: code, manifest: json, file: path)
        if let fault = MigrationNumbers(code).fault { throw ToolError(fault) }
        let (manifest, embedded) = try ModuleManifest.stamped(
            json, file: path, compiler: compiler.version(), screens: screens, points: PointReader(code).points
        )
        try write(
            GeneratedSource.module(entry: manifest.entry, manifest: embedded, proxies: ProxySource(code)),
            to: output)
    }

    /// The screens that the code registers; none if the manifest lists them, nil if the code can't be parsed.
    ///
    /// Code that is not Swift has no problems here: the compiler reports it, and embedding may be incomplete.
    private static func screens(
        in code: ModuleCode, manifest: [UInt8], file: String
    ) throws -> [ScreenDeclaration]? {
        guard try DocumentReader(manifest, file: file).root["screens"] == nil else { return [] }
        let reader = ScreenReader(code)
        if reader.problems.isEmpty { return reader.screens }
        if code.files.contains(where: \.isBroken) { return nil }
        throw ToolError(reader.problems.map(\.description).joined(separator: "\n"))
    }

    private static func readManifest(_ path: String) throws -> [UInt8] {
        guard FileManager.default.fileExists(atPath: path) else {
            throw ToolError("\(path): error: missing; every module has a module.json beside its sources")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ToolError("\(path): error: can't be read; check that it is a file and its permissions")
        }
        return Array(data)
    }

    /// Writes a file unless its content is the same: an untouched file is not recompiled.
    private static func write(_ text: String, to path: String) throws {
        let data = Data(text.utf8)
        if FileManager.default.contents(atPath: path) == data { return }
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw ToolError("\(path): error: can't be written: \(error)")
        }
    }
}

struct ToolError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
