internal import AtriumKit
internal import AtriumLanguage
internal import AtriumRuntime
internal import AtriumText
internal import Glibc

/// A scene in which a transcript types, as a person would at a prompt of 80 columns without a terminal's pictures.
@MainActor
final class PlayedScene {
    private let name: String
    private let client: HostClient
    /// What has been printed and was not taken.
    private var printed = ""
    private var secrets: [String] = []
    /// What is wrong with the transcript's answers to the line that runs.
    private var problem: String?
    private lazy var targets = ClientTargets { [unowned self] in
        try await CapturedProgram.open($0) { [weak self] in self?.printed += $0 }
    }
    private(set) var hasEnded = false

    /// What became of a line.
    struct Outcome {
        var status: Int32 = 0
        /// What is wrong with the transcript itself: a secret that is missing, or was not asked for.
        var problem: String?
    }

    init(_ name: String, _ client: HostClient) {
        self.name = name
        self.client = client
        client.receive = { [weak self] in self?.receive($0, $1) }
        client.answer = { [weak self] in try await self?.answer($0, $1) ?? [:] }
        client.didEnd = { [weak self] in self?.hasEnded = true }
    }

    func open() async throws {
        do {
            _ = try await client.request("hello", Self.parameters(of: name))
        } catch let error as RPCError {
            throw ShellError(error)
        }
    }

    /// What the host is told of a scene whose output is written down: it looks the same wherever that is.
    static func parameters(of name: String) -> JSONObject {
        var parameters: JSONObject = [
            "protocol": .integer(Int64(HostIdentity.protocolVersion)),
            "client": .string("atrium \(HostVersion.current)"), "scene": .string(name), "person": true,
        ]
        parameters["folder"] = .string(WorkingFolder.path)
        return parameters
    }

    /// Types a line, and waits until it has been carried out; nothing is typed for an empty one.
    ///
    /// - Throws: ``ShellError`` if the host ends.
    func type(_ line: String, secrets: [String]) async throws -> Outcome {
        var outcome = Outcome()
        // What the host has said until now comes first.
        _ = try await client.request("complete", ["line": ""])
        guard !line.isEmpty else { return outcome }
        (self.secrets, problem) = (secrets, nil)
        let result = try await client.request("run", ["line": .string(line)])
        if result.flag("ends") {
            outcome.status = ExitStatus(result).rawValue
            _ = try? await client.request("close")
            hasEnded = true
        }
        if problem == nil, !self.secrets.isEmpty {
            problem = "The host did not ask for what stands behind 'secret>'."
        }
        outcome.problem = problem
        return outcome
    }

    /// What is there now; it is kept until ``take()``.
    var output: String { printed }

    func take() -> String {
        defer { printed = "" }
        return printed
    }

    /// Cancels what runs, as Ctrl-C does.
    func cancel() { client.notify("cancel", ["all": true]) }

    func close() {
        hasEnded = true
        client.close()
    }

    // MARK: - What the host says

    private func receive(_ method: String, _ parameters: RPCParameters) {
        let text = parameters.text("text") ?? ""
        switch method {
        case "output":
            guard let number = parameters.number("target") else { return printed += text }
            targets.write(text, to: number)
        case "above": printed += text
        default: break
        }
    }

    private func answer(_ method: String, _ parameters: RPCParameters) async throws -> JSONObject {
        switch method {
        case "secret":
            guard !secrets.isEmpty else {
                let name = parameters.text("name") ?? "a secret"
                problem = "The host asks for '\(name)': write 'secret> VALUE' below the line."
                throw CancellationError()
            }
            let text = secrets.removeFirst()
            guard let value = PlayedSecret.value(of: text) else {
                problem = "The environment has no variable '\(text.dropFirst(5))' for 'secret> \(text)'."
                throw CancellationError()
            }
            return ["value": .string(value)]
        default: return try await targets.answer(method, parameters)
        }
    }
}

extension OutputRedirection {
    /// Where the host wants to have a result, as ``HostClient`` is told; nil if it says nothing of it.
    init?(_ parameters: RPCParameters) {
        if let file = parameters.text("file") {
            self = .file(Word(text: file, start: 0), appends: parameters.flag("append"))
        } else if let program = parameters.text("program") {
            self = .program(program)
        } else if parameters.flag("pager") {
            self = .pager
        } else {
            return nil
        }
    }
}
