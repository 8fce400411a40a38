import AtriumLibraries
import Glibc
import TestSupport

@testable import AtriumSnippets

/// A toolchain whose programs are scripts.
enum ScriptToolchain {
    /// A compiler over the toolchain in a folder: `scripts` are its programs by path, and the host's, `atrium`.
    @MainActor
    static func compiler(in folder: TemporaryFolder, _ scripts: [String: String]) throws -> SnippetCompiler {
        let version = Compatibility.compiler.prefix { !$0.isWhitespace }
        for name in ["bin", "lib", "Modules"] { mkdir(folder.path(name), 0o755) }
        folder.write([], to: "Modules/AtriumKit.swiftmodule")
        let information = """
            echo '{"compilerVersion": "Swift version \(version)", "target": {"triple": "any"}, "paths":
              {"runtimeLibraryPaths": ["/"], "runtimeResourcePath": "\(folder.path)/lib/swift"}}'
            """
        for (path, script) in scripts.merging(["bin/swiftc": information], uniquingKeysWith: { $1 }) {
            folder.write(Array("#!/bin/sh\n\(script)\n".utf8), to: path)
            chmod(folder.path(path), 0o755)
        }
        return try SnippetCompiler(
            Installation(executable: folder.path("atrium")), swiftc: folder.path("bin/swiftc"))
    }
}
