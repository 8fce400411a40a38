import Foundation

/// A folder with the configuration and data of a built host; it is removed when this object is released.
final class HostSite {
    let folder: URL
    private let modules: [(name: String, library: URL?)]
    private let environment: String

    /// - Parameters:
    ///   - modules: The modules after Session and Entities in `modules.json`; without a library, the one of the
    ///     build.
    ///   - environment: The environment in `modules.json`.
    /// - Throws: If the folder can't be created.
    init(_ modules: [(name: String, library: URL?)] = [], environment: String = "local") throws {
        self.environment = environment
        self.modules = modules
        folder = try Project.temporaryFolder()
        try writeConfiguration()
    }

    deinit {
        Project.remove(folder)
    }

    /// Runs the host with commands, continuing after failures; it is killed after a minute.
    func run(
        _ commands: [String], options: [String] = [], variables: [String: String] = [:]
    ) throws -> HostRun {
        let process = try start(
            options + ["--keep-going", "-c", commands.joined(separator: "; ")], variables: variables)
        return try process.finish()
    }

    func run(_ commands: String...) throws -> HostRun {
        try run(commands)
    }

    /// Starts a host that reads commands from its input; it is killed after `seconds`.
    func converse(
        options: [String] = [], variables: [String: String] = [:], seconds: Int = 60
    ) throws -> HostProcess {
        try start(options + ["--keep-going"], variables: variables, seconds: seconds)
    }

    /// Starts a host with arguments; it is killed after `seconds`.
    func start(
        _ arguments: [String], variables: [String: String] = [:], seconds: Int = 60
    ) throws -> HostProcess {
        try HostProcess(
            self,
            arguments: [
                "--json", "--data", folder.appending(path: "data").path, "--config",
                folder.appending(path: "modules.json").path, "--preflight-timeout", "2",
            ] + arguments, variables: variables, seconds: seconds)
    }

    private func writeConfiguration() throws {
        let named = [("Session", nil), ("Entities", nil)] + modules
        let list = named.map { name, library in
            ["name": name].merging(library.map { ["path": $0.path] } ?? [:]) { $1 }
        }
        let configuration: [String: Any] = [
            "searchPaths": [Project.release.path, Project.debug.path], "modules": list,
            "environment": environment,
        ]
        try JSONSerialization.data(withJSONObject: configuration)
            .write(to: folder.appending(path: "modules.json"))
    }
}

/// The replies of a host to its commands, and its exit code.
struct HostRun {
    let replies: [HostReply]
    /// The text on standard error.
    let errors: String
    /// The exit code; 128 plus the signal's number if a signal ended the host.
    let status: Int32

    /// The last reply to a command that begins with `words`.
    func reply(to words: String) -> HostReply? {
        replies.last { $0.command.hasPrefix(words) }
    }
}

/// The JSON object that the host printed for one command.
struct HostReply {
    /// The object as printed.
    let text: String
    private let object: [String: Any]

    init(_ line: some StringProtocol) {
        text = String(line)
        object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] ?? [:]
    }

    var command: String { object["command"] as? String ?? "" }
    var isOK: Bool { object["ok"] as? Bool ?? false }
    var error: [String: Any] { object["error"] as? [String: Any] ?? [:] }
    var code: String? { error["code"] as? String }
    var message: String { error["message"] as? String ?? "" }

    /// A text or number of the result.
    subscript(key: String) -> String? {
        (object["result"] as? [String: Any])?[key].map { "\($0)" }
    }

    /// The state of a module in the reply to `modules`.
    func state(of module: String) -> String? {
        rows("rows").first { $0["name"] as? String == module }?["state"] as? String
    }

    /// The rows of a table of the result.
    func rows(_ table: String) -> [[String: Any]] {
        (object["result"] as? [String: Any])?[table] as? [[String: Any]] ?? []
    }
}
