import Foundation

/// The project's folders, for tests that run built products.
enum Project {
    /// The project's root.
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of the host that `make build` builds.
    static let release = root.appending(path: ".build/release")

    /// The folders of the host and the SDK that are installed.
    static let host = root.appending(path: ".build/host")
    static let sdk = root.appending(path: ".build/sdk")

    /// The arguments of a script that uses the host that `make build` builds.
    static let builtHost = ["--host", release.appending(path: "atrium").path, "--modules", release.path]

    /// The folder of this test run's own build.
    static let debug = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    /// Creates an empty folder; remove it with ``remove(_:)``.
    static func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "atrium-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder
    }

    static func remove(_ folder: URL) {
        try? FileManager.default.removeItem(at: folder)
    }
}

/// The result of a program that has ended.
struct ProgramRun {
    let output: String
    let status: Int32

    /// Runs a program without standard input; output and errors are joined.
    ///
    /// After seven minutes, kills the program and its children; the status is then 124, or 137 if SIGTERM did not end it.
    static func run(
        _ program: String, _ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:]
    ) throws -> ProgramRun {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        process.arguments = ["--kill-after=5", "420", program] + arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.start()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return ProgramRun(output: String(decoding: data, as: UTF8.self), status: process.terminationStatus)
    }
}

extension ProgramRun {
    /// Runs a script of the project, by Debian's Python unless told otherwise.
    ///
    /// `make test-setup` installs packages for that one; another may come first in `PATH`.
    static func script(
        _ path: String, _ arguments: [String] = [], with python: String = "/usr/bin/python3",
        in folder: URL? = nil
    ) throws -> ProgramRun {
        try run(python, [Project.root.appending(path: path).path] + arguments, in: folder)
    }
}

extension Process {
    /// Starts the program with no signal blocked.
    ///
    /// Threads of Dispatch block nearly all signals, and children inherit that: SIGTERM would not end them.
    func start() throws {
        var (none, former) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        try run()
    }
}
