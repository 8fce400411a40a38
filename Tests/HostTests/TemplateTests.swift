import Foundation
import Testing

/// What `atrium new` makes.
///
/// Each template has a name that is hard for it. `make test-templates` builds all of them; by default only `crud` is
/// built, which has most in it.
@Suite("Templates of packages")
final class TemplateTests {
    private static let isLong = ProcessInfo.processInfo.environment["ATRIUM_TEMPLATES"] != nil

    private static let names = [
        "contract": "Payments", "crud": "Item", "form": "Booking", "infrastructure": "URLThing",
        "minimal": "A",
        "service": "N" + String(repeating: "umber", count: 12) + "Two",
    ]

    static let built = (isLong ? names.keys.filter { $0 != "contract" }.sorted() : ["crud"])

    private let folder: URL

    init() throws {
        folder = try Project.temporaryFolder()
    }

    deinit {
        Project.remove(folder)
    }

    /// What a shell needs to find the built host, with the bundled modules unless the folder has a configuration.
    private static let prelude = """
        unset ATRIUM_SDK
        atrium() {
            [[ -e modules.json ]] || set -- --config '\(Project.root.path)/modules.json' "$@"
            '\(Project.release.path)/atrium' "$@"
        }

        """

    private func run(_ line: String, in folder: URL) throws -> ProgramRun {
        try ProgramRun.run(
            "/bin/bash", ["-c", Self.prelude + line], in: folder,
            environment: ["XDG_STATE_HOME": self.folder.path])
    }

    private func make(_ template: String) throws -> URL {
        let name = try #require(Self.names[template])
        let made = try run("atrium new \(name) --template \(template)", in: folder)
        try #require(made.status == 0, "\(made.output)")
        return folder.appending(path: name)
    }

    @Test("The options and the SDK have the same templates")
    func templates() throws {
        let names = Self.names.keys.sorted()
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Project.sdk.appending(path: "Templates").path)
        #expect(folders.filter { $0 != "Common" }.sorted() == names)

        let listed = try run("'\(Project.release.path)/atrium' --complete --template", in: folder).output
        #expect(listed.split(separator: "\n").map(String.init).sorted() == names)
    }

    @Test(
        "A package has its files, and no name is left to fill in",
        arguments: ["crud", "form", "infrastructure", "minimal", "service"])
    func files(_ template: String) throws {
        let package = try make(template)
        let name = package.lastPathComponent
        let files = try FileManager.default.subpathsOfDirectory(atPath: package.path).filter {
            $0.contains(".")
        }

        let expected = [
            ".gitignore", ".vscode/settings.json", "Package.swift", "README.md",
            "Sources/\(name)/\(name)Module.swift", "Sources/\(name)/module.json",
            "Tests/\(name)Tests/\(name)Tests.swift",
        ]
        #expect(Set(files).isSuperset(of: expected), "\(files)")
        #expect(
            files.contains("Sources/\(name)/View/\(name)View.swift")
                == !["crud", "infrastructure"].contains(template))
        for file in files where file != ".vscode" {
            let text = try String(contentsOf: package.appending(path: file), encoding: .utf8)
            #expect(!(file + text).contains(/__[A-Z]+__/), "\(file)")
        }
    }

    @Test("The packages to begin with are small", arguments: [("minimal", 60), ("crud", 120)])
    func lines(_ template: String, _ most: Int) throws {
        let counted = try run("cat $(find Sources -type f) | wc -l", in: try make(template))

        #expect(try #require(Int(counted.output.trimmingCharacters(in: .whitespacesAndNewlines))) <= most)
    }

    @Test("The package of a contract builds a library with its major version in the SONAME, and an interface")
    func contract() throws {
        let package = try make("contract")

        let built = try run("swift build -c release", in: package)
        let names = try run(
            "readelf -d .build/release/libPayments.so; ls .build/release/Modules", in: package)

        try #require(built.status == 0 && !built.output.contains("warning:"), "\(built.output)")
        #expect(names.output.contains("soname: [libPayments.so.1]"), "\(names.output)")
        #expect(names.output.contains("Payments.swiftinterface"), "\(names.output)")
    }

    @Test(
        "A package builds without a warning, and every line of its README does what it says", arguments: built
    )
    func works(_ template: String) throws {
        let package = try make(template)
        let readme = try String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)
        let lines = readme.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let ofSwift = lines.filter { $0.hasPrefix("swift ") }
        let ofHost = lines.filter { $0.hasPrefix("atrium -") || $0.hasPrefix("atrium verify") }
        try #require(ofSwift.contains { $0.hasPrefix("swift test") } && ofSwift.count >= 3 && !ofHost.isEmpty)

        for line in ofSwift {
            let done = try run(line, in: package)
            try #require(done.status == 0 && !done.output.contains("warning:"), "\(line)\n\(done.output)")
        }
        var printed = ""
        for line in ofHost {
            let done = try run(line, in: package)
            printed += done.output
            let isRefused = line.contains(/# .*(refused|fails)/)
            try #require((done.status != 0) == isRefused, "\(line)\n\(done.output)")
            #expect(!done.output.contains("There is no command, action or link"), "\(line)\n\(done.output)")
        }
        if template == "crud" { #expect(printed.contains("'Lamp' is archived."), "\(printed)") }
    }
}
