internal import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumText

extension Conformance {
    /// Shows each story at 40, 80 and 120 columns, and compares it with its accepted text.
    mutating func checkStories(_ stories: [StoryRegistration]) async throws {
        let stories = stories.filter { $0.destination() != nil }
        guard !stories.isEmpty || accepted != nil else { return }
        report.looked(at: .stories, stories.count)
        for problem in try await StoryStage(scene).problems(of: stories, accepted: accepted) {
            report.add(.stories, problem.message, hint: problem.hint)
        }
    }
}
