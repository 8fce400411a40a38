import Foundation

/// A folder of its own for the built host: its configuration and its data, gone with this object.
final class HostSite {
    let folder: URL
    private let modules: [(name: String, library: URL?)]

    /// - Parameter modules: What `modules.json` names behind Session and Entities; without a library, the one
    ///   of the build.
    /// - Throws: Where the folder can't be made.
    init(_ modules: [(name: String, library: URL?)] = []) throws {
        self.modules = modules
        folder = try Project.temporaryFolder()
        try writeConfiguration()
    }

    deinit {
        Project.remove(folder)
    }

    /// Runs the host with commands, also behind one that fails; it is killed after a minute.
    func run(_ commands: [String]) throws -> HostRun {
        let process = try start(["--keep-going", "-c", commands.joined(separator: "; ")])
        return try process.finish()
    }

    func run(_ commands: String...) throws -> HostRun {
        try run(commands)
    }

    /// Starts the host, to be given its commands one after the other; it is killed after `seconds`.
    func converse(seconds: Int = 60) throws -> HostProcess {
        try start(["--keep-going"], seconds: seconds)
    }

    private func start(_ arguments: [String], seconds: Int = 60) throws -> HostProcess {
        try HostProcess(
            self,
            arguments: [
                "--json", "--data", folder.appending(path: "data").path, "--config",
                folder.appending(path: "modules.json").path, "--preflight-timeout", "2",
            ] + arguments, seconds: seconds)
    }

    private func writeConfiguration() throws {
        let named = [("Session", nil), ("Entities", nil)] + modules
        let list = named.map { name, library in
            ["name": name].merging(library.map { ["path": $0.path] } ?? [:]) { $1 }
        }
        let configuration: [String: Any] = ["searchPaths": [Project.release.path, Project.debug.path], "modules": list]
        try JSONSerialization.data(withJSONObject: configuration)
            .write(to: folder.appending(path: "modules.json"))
    }
}

/// What the host printed, command by command, and how it ended.
struct HostRun {
    let replies: [HostReply]
    /// The text on standard error.
    let errors: String
    /// The exit code; 128 and the signal's number where one ended it.
    let status: Int32

    /// The reply to the command that begins with `words`, the last of several.
    func reply(to words: String) -> HostReply? {
        replies.last { $0.command.hasPrefix(words) }
    }
}

/// The object that the host printed for one command.
struct HostReply {
    /// The object as it was printed.
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
