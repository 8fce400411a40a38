import AtriumManifest

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumRedirection
@testable import AtriumSession
@testable import AtriumText

/// A front end that records what its session reports, and answers questions from lists.
@MainActor
final class RecordingFrontEnd: FrontEnd {
    /// The events in order, except ``begun``; text that came in pieces is one event.
    private(set) var events: [SessionEvent] = []
    /// The number of lines that have begun; only a local session reports it after the history.
    private(set) var begun = 0
    /// The names of secrets and variables that were asked for.
    private(set) var questions: [String] = []
    private(set) var targets: [RecordedTarget] = []

    /// The secrets left to give; without one, the question is refused.
    var secrets: [String] = []
    var inputs: [[UInt8]] = []
    var variables: [String: String] = [:]
    /// The size of the terminal.
    var size: TerminalSize?
    /// The error number of every write to a target.
    var writeError: CInt?

    /// The text on standard output.
    var output: String { events.reduce(into: "") { if case .output(let text) = $1 { $0 += text } } }

    /// The codes of the errors in lines of `--json`; nil for a line of a result.
    var codes: [String?] {
        get throws {
            try output.split(separator: "\n").map { line in
                try LocatedJSON(parsing: Array(line.utf8))["error"]?["code"]?.text
            }
        }
    }

    func clear() { events = [] }

    func receive(_ event: SessionEvent) {
        switch (events.last, event) {
        case (.output(let former)?, .output(let text)): events[events.count - 1] = .output(former + text)
        case (.error(let former)?, .error(let text)): events[events.count - 1] = .error(former + text)
        case (_, .began): begun += 1
        default: events.append(event)
        }
    }

    func secret(_ name: String) async throws -> String {
        questions.append(name)
        guard !secrets.isEmpty else { throw CancellationError() }
        return secrets.removeFirst()
    }

    func input() async throws -> [UInt8]? { inputs.isEmpty ? nil : inputs.removeFirst() }

    func environment(_ name: String) async throws -> String? {
        questions.append("@env:\(name)")
        return variables[name]
    }

    func open(_ destination: OutputRedirection) async throws -> any ResultTarget {
        let target = RecordedTarget(destination, error: writeError)
        targets.append(target)
        return target
    }
}

/// A file or program that records the result written to it.
@MainActor
final class RecordedTarget: ResultTarget {
    let name = "The target"
    /// The destination as it is typed.
    let destination: String
    private(set) var text = ""
    /// True if the result was kept; nil while the target is open.
    private(set) var isKept: Bool?
    private let error: CInt?

    init(_ destination: OutputRedirection, error: CInt?) {
        self.destination =
            switch destination {
            case .file(let word, let appends): (appends ? ">> " : "> ") + word.text
            case .program(let text): "| " + text
            case .pager: "| pager"
            }
        self.error = error
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> CInt? {
        if let error { return error }
        text += String(decoding: bytes, as: UTF8.self)
        return nil
    }

    func drained() async throws -> Bool { true }

    func close(keeps: Bool) async throws { isKept = keeps }
}

extension SessionEvent: Equatable {
    static func == (left: SessionEvent, right: SessionEvent) -> Bool { "\(left)" == "\(right)" }
}
