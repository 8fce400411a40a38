@_spi(Host) package import AtriumKit
internal import AtriumNavigation
internal import AtriumText

/// A story's screen, as it looks.
package struct ShownStory: Sendable {
    private let body: Content
    /// The error of its load.
    package let problem: (any ExplainedError)?

    fileprivate init(_ body: Content, _ problem: (any ExplainedError)?) {
        (self.body, self.problem) = (body, problem)
    }

    /// The screen's content, with the problem below, unless the screen shows it.
    package var content: Content {
        guard let problem, !isShown(problem) else { return body }
        return Content {
            body
            Notice(.problem, problem.message, hint: problem.hint)
        }
    }

    private func isShown(_ problem: any ExplainedError) -> Bool {
        body.blocks.contains { block in
            if case .notice(let notice) = block { notice.text == problem.message } else { false }
        }
    }

    /// The lines at a width.
    package func lines(width: Int, isColored: Bool) -> [String] {
        let style = TextStyle(isColored: isColored)
        var lines = TextRenderer(width: width, style: style).render(content)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        while lines.last == "" { lines.removeLast() }
        return lines
    }
}

/// Shows stories in a host, which does not change.
@MainActor
package struct StoryStage {
    private let scene: Scene

    package init(_ scene: Scene) { self.scene = scene }

    /// The time limit for loading the screen.
    private static let limit = Duration.seconds(5)

    /// Builds and loads a story's screen in a sandbox; the scene and the host are not changed.
    ///
    /// - Parameters:
    ///   - registration: The story.
    ///   - viewport: The size, unless the story has its own.
    /// - Returns: The screen as it looks.
    /// - Throws: ``ShellError`` with code `storyWithoutScreen`, or the error of building the screen.
    package func show(_ registration: StoryRegistration, _ viewport: Viewport) async throws -> ShownStory {
        let (story, path) = (registration.story, registration.path)
        guard let destination = registration.destination() else {
            throw ShellError(.notFound, "The story '\(path)' has nothing to show.", hint: "stories")
        }
        let type = ObjectIdentifier(Swift.type(of: destination))
        guard let screen = scene.host.screens.all.first(where: { $0.destinationType == type }) else {
            throw ShellError(
                "storyWithoutScreen", "The story '\(path)' shows a screen that no active module registers.",
                hint: "Register the screen of its destination in module '\(registration.module)'.")
        }
        let sandbox = MockSandbox(scene.host, user: story.user, isEmpty: story.isEmpty) {
            story.scenarios[$0] ?? story.scenario
        }
        defer { sandbox.container.close() }
        let size = Viewport(
            columns: story.columns ?? viewport.columns, rows: story.rows ?? viewport.rows,
            promptRows: viewport.promptRows)
        let built = try screen.build(
            destination, in: sandbox.container, navigator: scene.coordinator.detached(),
            viewport: ViewportMonitor(size))
        defer { built.entry.leave() }
        var problem: (any ExplainedError)?
        if story.loads {
            do {
                let view = built.view
                try await withTimeLimit(Self.limit, of: "The load of '\(path)'") { try await view.load() }
            } catch {
                try Task.checkCancellation()
                problem = ShellError.explain(error)
            }
        }
        return ShownStory(built.view.body, problem)
    }
}

extension StoryRegistration {
    /// The link of its screen; nil if it can't be printed.
    @MainActor var link: String? { try? destination()?.link().description }

    /// Its state in words: `scenario error, signed in`.
    var state: String {
        var words = ["scenario \(story.scenario.rawValue)"]
        words += story.scenarios.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.rawValue)" }
        if story.isEmpty { words.append("no data") }
        if !story.loads { words.append("not loaded") }
        words.append(story.user == nil ? "guest" : "signed in")
        return words.joined(separator: ", ")
    }
}
