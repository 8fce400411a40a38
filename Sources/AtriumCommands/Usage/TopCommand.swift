@_spi(Host) internal import AtriumKit
internal import AtriumText
internal import Observation

/// `top`: at a terminal redrawn in place every second, elsewhere printed once.
extension HostCommands {
    @ActionsBuilder var usage: [Action] {
        Action(
            "top", "Show what the host does: modules, screens, endpoints, memory; at a terminal until Ctrl-C",
            effect: .reads, Argument<Int?>("count", "How many times to look, a second apart")
        ) { count in
            if let count, !(1...86_400).contains(count) {
                throw ArgumentError(
                    .invalidArgument, "'count' of 'top' must be from 1 to 86400, not '\(count)'.",
                    hint: "top --count 3")
            }
            let first = await TopReport(host, at: scene)
            guard scene.drawsPictures, count != 1 else { return try await top(count ?? 1, from: first) }
            try await TopDisplay(first, host, scene).run(count)
            return .content(Content())
        }
    }

    /// Prints all reports except the last, which is the result.
    private func top(_ count: Int, from first: TopReport) async throws -> ActionResult {
        var report = first
        for _ in 1..<count {
            try scene.print(Reply(command: "top", outcome: .done(Reply.Output(content: report.content))))
            try await Task.sleep(for: TopDisplay.interval)
            report = await TopReport(host, at: scene, since: report)
        }
        return .content(report.content)
    }
}

/// Redraws the report in place, until Ctrl-C.
@MainActor
private final class TopDisplay {
    static let interval = Duration.seconds(1)
    private let host: ShellHost
    private let scene: Scene
    private let model: Model

    /// The report being shown.
    @MainActor @Observable
    final class Model {
        var report: TopReport

        init(_ report: TopReport) { self.report = report }
    }

    private struct Screen: View {
        let model: Model

        var body: Content { model.report.content }
    }

    init(_ first: TopReport, _ host: ShellHost, _ scene: Scene) {
        self.host = host
        self.scene = scene
        model = Model(first)
    }

    /// Updates the report each second, until the session ends.
    func run(_ count: Int?) async throws {
        let session = LiveSession(
            Screen(model: model), at: "top", on: scene.display, viewport: scene.viewport)
        let looking = Task { [host, scene, model] in
            var looks = 1
            while true {
                try await Task.sleep(for: Self.interval)
                if let count, looks >= count { return session.end(because: "It was shown \(count) times.") }
                looks += 1
                model.report = await TopReport(host, at: scene, since: model.report)
            }
        }
        defer { looking.cancel() }
        _ = try await session.run(changes: nil, time: nil)
    }
}
