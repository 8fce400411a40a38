internal import AtriumLanguage
internal import AtriumLibraries
internal import AtriumRedirection
internal import AtriumSession
internal import AtriumStorage
internal import AtriumText
internal import Glibc

/// A scene in which a transcript types, like a user at a prompt of 80 columns without terminal pictures.
@MainActor
final class PlayedScene: FrontEnd {
    private let session: RemoteSession
    /// The output that has not been taken yet.
    private(set) var output = ""
    private var secrets: [String] = []
    /// The error in the transcript's answers to the running line.
    private var problem: String?
    private(set) var hasEnded = false
    /// Asks for a secret that the transcript does not have.
    var ask: (@MainActor (String) async throws -> String)?

    /// The outcome of a line.
    struct Outcome {
        var status: Int32 = 0
        /// The error in the transcript itself: a secret that is missing, or was not asked for.
        var problem: String?
    }

    /// Enters a scene.
    init(
        _ description: FrontEndDescription, _ client: HostClient, in folder: DataFolder
    ) async throws {
        session = RemoteSession(description, to: client, in: folder)
        session.frontEnd = self
        try await session.hello()
    }

    /// Types a line, and waits until it has been carried out; types nothing if it is empty.
    ///
    /// - Throws: ``ShellError`` if the host ends.
    func type(_ line: String, secrets: [String]) async throws -> Outcome {
        var outcome = Outcome()
        try await session.catchUp()
        guard !line.isEmpty else { return outcome }
        (self.secrets, problem) = (secrets, nil)
        let result = try await session.run(.success(line))
        if result.ends {
            outcome.status = result.status.rawValue
            _ = try? await session.close()
            hasEnded = true
        }
        if problem == nil, !self.secrets.isEmpty {
            problem = "The host did not ask for what stands behind 'secret>'."
        }
        outcome.problem = problem
        return outcome
    }

    var prompt: String { session.prompt }

    func completions(of line: String, at cursor: Int) -> CompletionList {
        session.completions(of: line, at: cursor)
    }

    func take() -> String {
        defer { output = "" }
        return output
    }

    func close() {
        hasEnded = true
        session.client.close()
    }

    func receive(_ event: SessionEvent) {
        switch event {
        case .output(let text), .error(let text), .screen(let text), .above(let text, _): output += text
        case .end: hasEnded = true
        case .began, .history, .echo, .lost, .restored: break
        }
    }

    func secret(_ name: String) async throws -> String {
        guard !secrets.isEmpty else {
            if let ask { return try await ask(name) }
            problem = "The host asks for '\(name)': write 'secret> VALUE' below the line."
            throw CancellationError()
        }
        let text = secrets.removeFirst()
        guard let value = PlayedSecret.value(of: text) else {
            problem = "The environment has no variable '\(text.dropFirst(5))' for 'secret> \(text)'."
            throw CancellationError()
        }
        return value
    }

    func input() async throws -> [UInt8]? { throw CancellationError() }

    func open(_ destination: OutputRedirection) async throws -> any ResultTarget {
        try await CapturedProgram.open(destination) { [weak self] in self?.output += $0 }
    }
}

extension FrontEndDescription {
    /// The description of a scene whose output is recorded: it looks the same everywhere.
    static func recorded(
        _ scene: String, _ size: TerminalSize? = nil, isColored: Bool = false
    ) -> FrontEndDescription {
        FrontEndDescription {
            $0.scene = scene
            $0.size = size
            $0.isSizeFixed = size != nil
            $0.errorColumns = size?.columns
            $0.isColored = isColored
            $0.colorsErrors = isColored
            $0.folder = WorkingFolder.path
            $0.isPerson = true
        }
    }
}
