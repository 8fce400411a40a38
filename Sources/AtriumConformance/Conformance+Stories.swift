internal import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumText

extension Conformance {
    /// Shows each story at 40, 80 and 120 columns, and compares it with its accepted text.
    mutating func checkStories(_ stories: [StoryRegistration]) async throws {
        let shown = stories.filter { $0.destination() != nil }
        guard !shown.isEmpty || accepted != nil else { return }
        report.looked(at: .stories, shown.count)
        let problems = try await StoryStage(scene).problems(of: shown, accepted: accepted)
        // A story that has nothing to show now keeps its text.
        for problem in problems + (accepted?.leftovers(of: stories) ?? []) {
            report.add(.stories, problem.message, hint: problem.hint)
        }
    }
}
