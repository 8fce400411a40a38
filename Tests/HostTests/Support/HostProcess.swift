import Foundation
import Testing

/// A running host, with pipes for its input and output.
///
/// It is killed after a minute, unless `seconds` says otherwise. It and its children get as much processor
/// time and 8 GB of address space each, so that a hanging or allocating module can't take down the machine.
final class HostProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let site: HostSite
    private var errors: URL { site.folder.appending(path: "errors") }
    /// The file that some fixtures create when their action begins.
    private var begun: URL { site.folder.appending(path: "begun") }
    private var read = Data()
    private var watchdog = DispatchWorkItem {}

    /// The process id.
    var identifier: Int32 { process.processIdentifier }

    init(
        _ site: HostSite, arguments: [String], variables: [String: String] = [:], seconds: Int = 60
    ) throws {
        self.site = site
        try Data().write(to: errors)
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            [
                "-c", #"ulimit -v 8388608; ulimit -t \#(seconds); exec "$@""#, "sh",
                Project.release.appending(path: "atrium").path,
            ] + arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["NO_COLOR": "", "LC_ALL": "C.UTF-8", "FIXTURE_BEGUN": begun.path]) { $1 }
            .merging(variables) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.start()
        let identifier = process.processIdentifier
        watchdog = DispatchWorkItem { kill(identifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds), execute: watchdog)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        watchdog.cancel()
    }

    /// Sends one command and waits for its reply.
    func ask(_ command: String) throws -> HostReply {
        try send(command)
        return try nextReply()
    }

    /// Sends one command.
    func send(_ command: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
    }

    /// Waits for the reply to the command that is running.
    func nextReply() throws -> HostReply {
        while true {
            if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
                let line = read[..<end]
                read = Data(read[(end + 1)...])
                return HostReply(String(decoding: line, as: UTF8.self))
            }
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty, "The host ended: \(errorText)")
            read.append(more)
        }
    }

    /// Waits for the action of a fixture.
    func waitUntilBegun() throws {
        while !FileManager.default.fileExists(atPath: begun.path) {
            try #require(process.isRunning, "The host ended: \(errorText)")
            usleep(1_000)
        }
    }

    /// Waits for a text on standard error.
    func waitForError(_ text: String) throws {
        while !errorText.contains(text) {
            try #require(process.isRunning, "The host ended: \(errorText)")
            usleep(10_000)
        }
    }

    /// Sends SIGINT, as Ctrl-C does.
    func interrupt() {
        kill(process.processIdentifier, SIGINT)
    }

    /// Repeats SIGINT until the host ends; two signals may be merged into one.
    func interruptUntilItEnds() {
        while process.isRunning {
            interrupt()
            sched_yield()
        }
    }

    /// Closes the input and waits for the end; unread replies are in the result.
    ///
    /// A host that ends by itself may keep its input until then.
    func finish(endsByItself: Bool = false) throws -> HostRun {
        if !endsByItself { try input.fileHandleForWriting.close() }
        read.append(output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        watchdog.cancel()
        let lines = String(decoding: read, as: UTF8.self).split(separator: "\n")
        return HostRun(
            replies: lines.map { HostReply($0) }, errors: errorText,
            status: process.terminationReason == .exit
                ? process.terminationStatus : 128 + process.terminationStatus)
    }

    /// What is on standard error so far.
    var errorText: String {
        (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
    }
}
