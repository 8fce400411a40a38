@_spi(Host) internal import AtriumKit

/// Shows a screen and its changes.
@MainActor
final class LiveSession {
    struct Limits {
        var changes: Int?
        var time: Duration?
    }

    private let link: String
    private let display: Display
    private let viewport: ViewportMonitor
    private let observation: ScreenObservation<Drawing>
    private var shown = Content()
    private var changes = 0
    private var limit: Int?
    private var failure: (any Error)?
    private var finish: () -> Void = {}
    /// Why the screen is no longer current; nil while it is.
    private(set) var departure: String?

    private struct Drawing {
        let content: Content
        let viewport: Viewport
    }

    init(
        _ view: any View, at link: String, on display: Display, viewport: ViewportMonitor,
        settle: @escaping ScreenObservation<Content>.Settling
    ) {
        self.link = link
        self.display = display
        self.viewport = viewport
        observation = ScreenObservation(settle: settle) {
            Drawing(content: view.body, viewport: viewport.current)
        }
    }

    var drawings: Int { observation.drawings }

    /// Shows the screen until a limit is reached or the task is cancelled, and returns the number of changes.
    func run(
        until limits: Limits,
        waiting wait: @escaping @MainActor (Duration) async throws -> Void = LiveSession.sleep
    ) async throws -> Int {
        let (ends, end) = AsyncStream<Never>.makeStream()
        finish = { end.finish() }
        limit = limits.changes
        try begin()
        let timer = limits.time.map { time in
            Task {
                try await wait(time)
                end.finish()
            }
        }
        defer { leave(timer) }
        // Cancellation ends the stream, too.
        for await _ in ends {}
        if let failure { throw failure }
        return changes
    }

    /// Ends the session because the screen is no longer current.
    func end(because reason: String) {
        departure = departure ?? reason
        finish()
    }

    static func sleep(_ time: Duration) async throws {
        try await Task.sleep(for: time)
    }

    private func begin() throws {
        if display.form == .picture { try display.beginPicture() }
        let first = observation.start { [weak self] in self?.receive($0) }
        shown = first.content
        switch display.form {
        case .picture: draw(first)
        case .lines: try display.write(text(of: first))
        case .objects:
            let object: JSONObject = [
                "command": "live", "link": .string(link), "screen": .object(first.content.json),
            ]
            try display.write(object.line)
        }
    }

    private func leave(_ timer: Task<Void, any Error>?) {
        timer?.cancel()
        observation.stop()
        if display.form == .picture { display.endPicture() }
    }

    private func receive(_ drawing: Drawing) {
        let differences = ContentComparison.changes(from: shown, to: drawing.content)
        shown = drawing.content
        if !differences.isEmpty { changes += 1 }
        do {
            try report(differences, drawing)
        } catch {
            failure = error
            finish()
        }
        if let limit, changes >= limit { finish() }
    }

    private func report(_ differences: [ContentChange], _ drawing: Drawing) throws {
        if display.form == .picture { return draw(drawing) }
        guard !differences.isEmpty else { return }
        if display.form == .lines { return try display.write(Self.line(differences) + "\n") }
        let object: JSONObject = [
            "command": "live", "change": .integer(Int64(changes)),
            "changes": .array(differences.map { .object($0.json) }),
        ]
        try display.write(object.line)
    }

    private func draw(_ drawing: Drawing) {
        var lines = text(of: drawing).split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        if lines.last == "" { lines.removeLast() }
        display.show(lines)
    }

    private func text(of drawing: Drawing) -> String {
        TextRenderer(width: drawing.viewport.columns, style: display.style).render(drawing.content)
    }

    /// The most differences that a line names.
    private static let named = 8

    static func line(_ differences: [ContentChange]) -> String {
        var sentences = differences.prefix(named).map(\.sentence.printableLine)
        let more = differences.count - sentences.count
        if more > 0 { sentences.append("and \(more) more") }
        return sentences.joined(separator: "; ")
    }
}
