internal import AtriumKit
internal import AtriumLanguage
internal import AtriumRuntime
internal import AtriumText
internal import Glibc

/// A scene in which a transcript types, like a user at a prompt of 80 columns without terminal pictures.
@MainActor
final class PlayedScene {
    private let name: String
    private let client: HostClient
    /// The output that has not been taken yet.
    private var printed = ""
    private var secrets: [String] = []
    /// The error in the transcript's answers to the running line.
    private var problem: String?
    private lazy var targets = ClientTargets { [unowned self] in
        try await CapturedProgram.open($0) { [weak self] in self?.printed += $0 }
    }
    private(set) var hasEnded = false

    /// The outcome of a line.
    struct Outcome {
        var status: Int32 = 0
        /// The error in the transcript itself: a secret that is missing, or was not asked for.
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

    /// The parameters of a scene whose output is recorded: it looks the same everywhere.
    static func parameters(of name: String) -> JSONObject {
        var parameters: JSONObject = [
            "protocol": .integer(Int64(HostIdentity.protocolVersion)),
            "client": .string("atrium \(HostVersion.current)"), "scene": .string(name), "person": true,
        ]
        parameters["folder"] = .string(WorkingFolder.path)
        return parameters
    }

    /// Types a line, and waits until it has been carried out; types nothing if it is empty.
    ///
    /// - Throws: ``ShellError`` if the host ends.
    func type(_ line: String, secrets: [String]) async throws -> Outcome {
        var outcome = Outcome()
        // Wait for everything that the host has sent so far.
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

    /// The output so far, which is kept until ``take()``.
    var output: String { printed }

    func take() -> String {
        defer { printed = "" }
        return printed
    }

    /// Cancels the running line, as Ctrl-C does.
    func cancel() { client.notify("cancel", ["all": true]) }

    func close() {
        hasEnded = true
        client.close()
    }

    // MARK: - Messages from the host

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
    /// The destination in a host's request, as ``HostClient`` receives it; nil if it names none.
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
