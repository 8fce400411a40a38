@_spi(Host) package import AtriumKit
package import AtriumText

extension StoryStage {
    /// The widths at which stories are checked and printed.
    package static let widths = [40, 80, 120]

    /// Shows stories at each width, and returns what is wrong with them.
    ///
    /// - Parameters:
    ///   - stories: The stories of a module.
    ///   - accepted: Their accepted texts; nil if none are compared.
    /// - Returns: An error for each story.
    /// - Throws: `CancellationError` only.
    package func problems(
        of stories: [StoryRegistration], accepted: AcceptedStories? = nil
    ) async throws -> [ShellError] {
        var problems: [ShellError] = []
        for story in stories {
            var (screens, problem) = ([(width: Int, lines: [String])](), ShellError?.none)
            for width in Self.widths where problem == nil {
                let result = try await lines(of: story, width)
                screens.append((width, result.lines))
                problem = result.problem
            }
            problem = problem ?? accepted?.problem(of: story, screens)
            if let problem { problems.append(problem) }
        }
        return problems
    }

    private func lines(
        of registration: StoryRegistration, _ width: Int
    ) async throws -> (lines: [String], problem: ShellError?) {
        let (story, name) = (registration.story, "The story '\(registration.path)'")
        let shown: ShownStory
        do {
            shown = try await show(registration, Viewport(columns: width, rows: 24))
        } catch {
            try Task.checkCancellation()
            let error = ShellError.explain(error)
            return ([], ShellError("badStory", "\(name) can't be shown: \(error.message)", hint: error.hint))
        }
        let fails = story.scenario == .error || story.scenarios.values.contains(.error)
        if let problem = shown.problem, !fails {
            let error = ShellError(
                "badStory", "\(name) fails: \(problem.message)",
                hint: "Give it scenario error, or a state in which its screen loads.")
            return ([], error)
        }
        let lines = shown.lines(width: width, isColored: false)
        if lines.isEmpty { return ([], ShellError("badStory", "\(name) shows nothing.")) }
        guard lines.contains(where: { TextWidth.of($0) > width }) else { return (lines, nil) }
        return (
            lines, ShellError("badStory", "\(name) has a line of more than \(width) columns at that width.")
        )
    }
}
