internal import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumText

extension Conformance {
    /// Shows each story at 40, 80 and 120 columns.
    mutating func checkStories(_ stories: [StoryRegistration]) async throws {
        let stories = stories.filter { $0.destination() != nil }
        guard !stories.isEmpty else { return }
        report.looked(at: .stories, stories.count)
        for problem in try await StoryStage(scene).problems(of: stories) {
            report.add(.stories, problem.message, hint: problem.hint)
        }
    }
}
