internal import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumText

extension Conformance {
    /// Shows each story in a window of 40, 80 and 120 columns.
    mutating func checkStories(_ stories: [StoryRegistration]) async throws {
        for story in stories {
            report.looked(at: .stories)
            for width in [40, 80, 120] {
                try Task.checkCancellation()
                do {
                    let shown = try await StoryStage(scene).show(story, Viewport(columns: width, rows: 24))
                    check(shown, story, width)
                } catch {
                    try Task.checkCancellation()
                    report.add(.stories, "The story '\(story.path)' can't be shown: \(Self.message(of: error))")
                }
            }
        }
    }

    private mutating func check(_ shown: ShownStory, _ story: StoryRegistration, _ width: Int) {
        let lines = shown.lines(width: width, isColored: false)
        if lines.isEmpty { report.add(.stories, "The story '\(story.path)' shows nothing.") }
        if lines.contains(where: { TextWidth.of($0) > width }) {
            report.add(
                .stories, "The story '\(story.path)' has a line of more than \(width) columns at that width.")
        }
        let fails = story.story.scenario == .error || story.story.scenarios.values.contains(.error)
        if let problem = shown.problem, !fails {
            report.add(
                .stories, "The story '\(story.path)' fails: \(problem.message)",
                hint: "Give it scenario error, or a state in which its screen loads.")
        }
    }
}
