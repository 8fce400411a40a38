@_spi(Host) package import AtriumKit

@MainActor
package final class LiveSession {
    private let view: any View
    private let link: String
    private let display: Display
    private let viewport: ViewportMonitor
    private let observation = ScreenObservation()
    private var shown = Content()
    private var limit: Int?
    private var failure: (any Error)?
    private var finish: () -> Void = {}
    /// Why the screen is no longer current; nil while it is.
    package private(set) var departure: String?

    package init(_ view: any View, at link: String, on display: Display, viewport: ViewportMonitor) {
        self.view = view
        self.link = link
        self.display = display
        self.viewport = viewport
    }

    /// Shows the screen until a limit is reached or the task is cancelled; returns the number of changes.
    package func run(changes limit: Int?, time: Duration?) async throws -> Int {
        let (ends, end) = AsyncStream<Never>.makeStream()
        finish = { end.finish() }
        self.limit = limit
        try begin()
        let timer = time.map { time in
            Task {
                try await Task.sleep(for: time)
                end.finish()
            }
        }
        let aging = display.form == .picture ? Task { await self.redrawAgain() } : nil
        defer {
            timer?.cancel()
            aging?.cancel()
            observation.stop()
            if display.form == .picture { display.endPicture() }
        }
        // Cancellation also ends the stream.
        for await _ in ends {}
        if let failure { throw failure }
        return observation.changes
    }

    package func end(because reason: String) {
        departure = departure ?? reason
        finish()
    }

    private func begin() throws {
        if display.form == .picture { try display.beginPicture() }
        // A new viewport size is a change.
        let drawing: ScreenObservation.Drawing = { [view, viewport] in
            _ = viewport.current
            return view.body.bounded
        }
        let first = observation.start(drawing: drawing) { [weak self] in self?.receive($0, $1) }
        switch display.form {
        case .picture: draw(first)
        case .lines: try display.write(text(of: first))
        case .objects:
            let result: JSONObject = [
                "link": .string(link), "change": 0, "rows": [], "screen": .object(first.json),
            ]
            try display.write(JSONObject(command: "live", result: result).line)
        }
    }

    private func receive(_ content: Content, _ differences: [ContentChange]) {
        do {
            try report(content, differences)
        } catch {
            failure = error
            finish()
        }
        if let limit, observation.changes >= limit { finish() }
    }

    private func report(_ content: Content, _ differences: [ContentChange]) throws {
        if display.form == .picture { return draw(content) }
        guard !differences.isEmpty else { return }
        if display.form == .lines { return try display.write(Self.line(differences) + "\n") }
        try display.write(Self.json("live", link, observation.changes, differences).line)
    }

    /// The interval at which relative times are redrawn.
    private static let age = Duration.seconds(20)

    private func redrawAgain() async {
        // May be cancelled although the sleep succeeded.
        while (try? await Task.sleep(for: Self.age)) != nil, !Task.isCancelled { draw(shown) }
    }

    private func draw(_ content: Content) {
        shown = content
        var lines = text(of: content).split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        if lines.last == "" { lines.removeLast() }
        display.show(lines)
    }

    private func text(of content: Content) -> String {
        var renderer = TextRenderer(width: viewport.current.columns, style: display.style)
        if display.form == .picture { renderer.now = display.now() }
        return renderer.render(content)
    }

    /// A change of a screen, for programs.
    package static func json(
        _ command: String, _ link: String, _ number: Int, _ differences: [ContentChange]
    ) -> JSONObject {
        JSONObject(
            command: command,
            result: [
                "link": .string(link), "change": .integer(Int64(number)),
                "rows": .array(differences.map { .object($0.json) }),
            ])
    }

    /// Differences on one line, which names the first eight.
    package static func line(_ differences: [ContentChange]) -> String {
        var sentences = differences.prefix(8).map(\.sentence.printableLine)
        let more = differences.count - sentences.count
        if more > 0 { sentences.append("and \(more) more") }
        return sentences.joined(separator: "; ")
    }
}
