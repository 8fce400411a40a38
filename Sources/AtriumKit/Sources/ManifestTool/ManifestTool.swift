import AtriumManifest
import Foundation

/// Checks a module's `module.json` and writes the Swift file that embeds it; run by the plugin EmbedManifest.
///
/// With `--stamp-compiler`, as the plugin StampCompiler runs it, it writes the compiler's version instead.
///
/// What is wrong goes to standard error in the form of compilers, so that the build stops and editors
/// jump to the place.
@main
struct ManifestTool {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        let options = try Options(arguments)
        let compiler = try CompilerVersion.ask(options.compiler)
        guard let path = options.manifest else {
            return try write(CompilerStampSource(version: compiler).text, to: options.output)
        }
        let stamp = ManifestStamp(compiler: compiler)
        let (manifest, embedded) = try stamp.apply(to: try readManifest(path), file: path)
        let source = ModuleEntrySource(entry: manifest.entry, manifest: embedded)
        try write(source.text, to: options.output)
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

    /// Writes a file, unless it already says the same: an untouched file is not compiled again.
    private static func write(_ text: String, to path: String) throws {
        let data = Data(text.utf8)
        if FileManager.default.contents(atPath: path) == data { return }
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw ToolError("\(path): error: can't be written: \(error.localizedDescription)")
        }
    }
}

/// A failure as the line that is printed.
struct ToolError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
