import Foundation

/// Where the project's files are, for tests that drive what was built.
enum Project {
    /// The project's root.
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of the built host; `make build` leaves it there.
    static let release = root.appending(path: ".build/release")

    /// The folder of this test run's own build.
    static let debug = root.appending(path: ".build/debug")

    /// A new, empty folder that is removed by ``remove(_:)``.
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

/// A program that ran to its end.
struct ProgramRun {
    let output: String
    let status: Int32

    /// Runs a program without standard input, its output and errors in one text.
    static func run(
        _ program: String, _ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:]
    ) throws -> ProgramRun {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return ProgramRun(output: String(decoding: data, as: UTF8.self), status: process.terminationStatus)
    }
}
