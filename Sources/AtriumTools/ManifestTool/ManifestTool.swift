import AtriumManifest
import FoundationEssentials
import Glibc

/// Checks a module's `module.json` and writes the Swift file that embeds it; run by the plugin EmbedManifest.
///
/// It also checks the migration numbers in the sources after `--sources`.
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
                "usage: ManifestTool (<module.json> | --stamp-compiler) --output <File.swift> --swiftc <path> "
                    + "[--sources <File.swift>…]")
        }
        let (path, output) = (arguments[0], arguments[2])
        let compiler = try compilerVersion(arguments[4])
        if path == "--stamp-compiler" {
            return try write(GeneratedSource.compilerStamp(version: compiler), to: output)
        }
        let (manifest, embedded) = try ModuleManifest.stamped(
            readManifest(path), file: path, compiler: compiler)
        var numbers = MigrationNumbers()
        for source in arguments.dropFirst(6) {
            // The compiler reports files that can't be read.
            guard let data = FileManager.default.contents(atPath: source) else { continue }
            numbers.add(String(decoding: data, as: UTF8.self), file: source)
        }
        if let fault = numbers.fault { throw ToolError(fault) }
        try write(GeneratedSource.module(entry: manifest.entry, manifest: embedded), to: output)
    }

    /// Runs `swiftc --version` and returns its version number, such as `6.3.1`.
    private static func compilerVersion(_ compiler: String) throws -> String {
        let quoted = "'" + compiler.replacing("'", with: "'\\''") + "'"
        guard let pipe = popen("\(quoted) --version </dev/null 2>/dev/null", "r") else {
            throw ToolError("\(compiler): error: can't be run: \(String(cString: strerror(errno)))")
        }
        var bytes: [UInt8] = []
        while case let byte = getc(pipe), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        let status = pclose(pipe)
        guard status == 0 else {
            throw ToolError("\(compiler): error: '--version' ended with status \(status >> 8 & 0xff)")
        }
        let output = String(decoding: bytes, as: UTF8.self)
        guard let marker = output.firstRange(of: "Swift version ") else {
            throw ToolError("\(compiler): error: '--version' prints no Swift version: \(output)")
        }
        return String(output[marker.upperBound...].prefix { !$0.isWhitespace })
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
