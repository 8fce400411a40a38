@_spi(Host) package import AtriumKit
internal import AtriumModules
package import AtriumText

extension StoryStage {
    /// The widths at which stories are checked and printed.
    package static let widths = [40, 80, 120]

    /// Shows stories at each width, and returns what is wrong with them.
    ///
    /// - Throws: `CancellationError` only.
    package func problems(of stories: [StoryRegistration]) async throws -> [ShellError] {
        var problems: [ShellError] = []
        for story in stories {
            for width in Self.widths {
                guard let problem = try await problem(of: story, width) else { continue }
                problems.append(problem)
                break
            }
        }
        return problems
    }

    private func problem(of registration: StoryRegistration, _ width: Int) async throws -> ShellError? {
        let (story, name) = (registration.story, "The story '\(registration.path)'")
        let shown: ShownStory
        do {
            shown = try await show(registration, Viewport(columns: width, rows: 24))
        } catch {
            try Task.checkCancellation()
            let error = ShellError.explain(error)
            return ShellError("badStory", "\(name) can't be shown: \(error.message)", hint: error.hint)
        }
        let fails = story.scenario == .error || story.scenarios.values.contains(.error)
        if let problem = shown.problem, !fails {
            return ShellError(
                "badStory", "\(name) fails: \(problem.message)",
                hint: "Give it scenario error, or a state in which its screen loads.")
        }
        let lines = shown.lines(width: width, isColored: false)
        if lines.isEmpty { return ShellError("badStory", "\(name) shows nothing.") }
        guard lines.contains(where: { TextWidth.of($0) > width }) else { return nil }
        return ShellError("badStory", "\(name) has a line of more than \(width) columns at that width.")
    }
}
