import Foundation
import Testing

/// The program in `Tests/Sanitizer/Callers` with the SDK and the API client, built for the thread sanitizer.
///
/// It is built into `.build/sanitizer` when a test first needs it, and rebuilt only if its sources or the
/// compiler have changed.
struct SanitizedProgram {
    private let file: URL
    private let mutex: URL

    /// Builds the program if needed.
    init() throws {
        let builds = Project.root.appending(path: ".build/sanitizer")
        let folder = builds.appending(path: try Self.digest())
        file = folder.appending(path: "callers")
        mutex = folder.appending(path: "mutex.so")
        try FileManager.default.createDirectory(
            at: builds.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileLock.hold(builds.appendingPathExtension("lock").path) { [file, mutex] in
            if FileManager.default.fileExists(atPath: file.path) { return }
            try? FileManager.default.removeItem(at: builds)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Self.compileMutex(to: mutex)
            for name in Self.libraries { try Self.compileLibrary(name, in: folder) }
            try Self.compileCallers(in: folder, to: file)
        }
    }

    /// Runs the program with one argument.
    ///
    /// The first report ends it with status 66, since a program with a race might not end.
    func run(_ what: String) throws -> ProgramRun {
        // LD_PRELOAD can't name a file in a folder whose path has a space.
        let environment = [
            "LD_LIBRARY_PATH": mutex.deletingLastPathComponent().path, "LD_PRELOAD": mutex.lastPathComponent,
            "TSAN_OPTIONS": "halt_on_error=1 exitcode=66",
        ]
        return try ProgramRun.run(file.path, [what], environment: environment)
    }

    /// Why the address-space limit is too low for the sanitizer; nil if it is sufficient.
    static let obstacle: String? = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        // RLIM_INFINITY does not compile (Swift 6.3.1): it is imported as -1.
        return limit.rlim_cur == .max
            ? nil
            : "The sanitizer needs terabytes of addresses, and 'ulimit -v' allows \(limit.rlim_cur) bytes."
    }()

    // MARK: - Building

    private static let sanitizer = Project.root.appending(path: "Tests/Sanitizer")
    private static let libraries = ["AtriumKit", "AtriumManifest"]
    /// The source folder of each library.
    private static let folders = [
        "AtriumKit": Project.root.appending(path: "Sources/AtriumKit/Sources/AtriumKit"),
        "AtriumManifest": Project.root.appending(path: "Sources/AtriumTools/AtriumManifest"),
    ]
    private static let callers = [
        Project.root.appending(path: "Sources/AtriumNetworking"), sanitizer.appending(path: "Callers"),
        sanitizer.appending(path: "Counting"),
    ]
    private static let settings = [
        "-swift-version", "6", "-sanitize=thread", "-wmo", "-num-threads", "2", "-Onone",
        "-gline-tables-only", "-suppress-warnings",
        "-parse-as-library", "-package-name", "Atrium", "-enable-upcoming-feature", "ExistentialAny",
        "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature",
        "MemberImportVisibility",
    ]

    private static func compileMutex(to library: URL) throws {
        let source = sanitizer.appending(path: "mutex.c")
        try succeed("clang", ["-O2", "-shared", "-fPIC", "-o", library.path, source.path, "-ldl"])
    }

    private static func compileLibrary(_ name: String, in folder: URL) throws {
        try succeed(
            "swiftc",
            settings + [
                "-module-name", name, "-emit-module", "-emit-module-path",
                folder.appending(path: "\(name).swiftmodule").path, "-emit-library", "-static", "-o",
                folder.appending(path: "lib\(name).a").path,
            ] + sources(in: folders[name]!))
    }

    private static func compileCallers(in folder: URL, to program: URL) throws {
        let unfinished = program.appendingPathExtension("unfinished")
        try succeed(
            "swiftc",
            settings + [
                "-module-name", "Callers", "-I", folder.path, "-L", folder.path, "-o", unfinished.path,
            ] + libraries.map { "-l\($0)" } + callers.flatMap(sources))
        try FileManager.default.moveItem(at: unfinished, to: program)
    }

    private static func succeed(_ tool: String, _ arguments: [String]) throws {
        let run = try ProgramRun.run("/usr/bin/env", [tool] + arguments)
        try #require(
            run.status == 0, "\(tool) can't build the program for the thread sanitizer: \(run.output)")
    }

    private static func sources(in folder: URL) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") }.sorted().map { folder.appending(path: $0).path }
    }

    /// A digest of the sources, the compiler and this file.
    private static func digest() throws -> String {
        let mutex = sanitizer.appending(path: "mutex.c").path
        let script = #"{ swiftc --version 2>/dev/null; cat "$@"; } | b2sum --length 64"#
        let folders = libraries.map { Self.folders[$0]! } + callers
        let run = try ProgramRun.run(
            "/bin/sh", ["-c", script, "sh", #filePath, mutex] + folders.flatMap(sources))
        return String(run.output.prefix { $0.isHexDigit })
    }
}
