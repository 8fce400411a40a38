import Foundation
import Testing

/// Compiles the files in `Tests/MustNotCompile` against the SDK.
///
/// Each breaks one layer rule and contains the compiler's expected error in a line `// error: TEXT`.
/// `Control.swift` follows the rules and must compile, which shows that failures come from the rules and not
/// from the setup.
@Suite struct MustNotCompileTests {
    static let folder = Project.root.appending(path: "Tests/MustNotCompile")
    static let files: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".swift") && $0 != "Control.swift" }.sorted()
    }()

    @Test("The control file, which follows the rules, compiles")
    func control() throws {
        let run = try Self.compile("Control.swift")

        #expect(run.status == 0, "\(run.output)")
    }

    @Test("A file that breaks a layer rule does not compile", arguments: files)
    func mustFail(_ file: String) throws {
        let source = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
        let expected = source.split(separator: "\n").filter { $0.hasPrefix("// error: ") }.map {
            $0.dropFirst(10)
        }

        let run = try Self.compile(file)

        #expect(!expected.isEmpty, "\(file) contains no expected error.")
        #expect(run.status != 0, "\(file) compiles.")
        #expect(!run.output.contains("Stack dump"), "The compiler crashed: \(run.output)")
        for text in expected { #expect(run.output.contains("error: " + text), "\(run.output)") }
    }

    private static func compile(_ file: String) throws -> ProgramRun {
        try ProgramRun.run(
            "/usr/bin/env",
            [
                "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library",
                "-enable-upcoming-feature",
                "ExistentialAny", "-I", Project.debug.appending(path: "Modules").path,
                folder.appending(path: file).path,
            ])
    }
}
