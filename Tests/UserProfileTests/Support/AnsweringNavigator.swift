import AtriumKit
import Testing

/// Answers what is presented, after a look at how things are meanwhile; goes nowhere else.
@MainActor
final class AnsweringNavigator: Navigator {
    /// Called with each item that is presented; gives the answer.
    var answer: (PresentedItem) throws -> PresentedResult = { _ in .cancelled }
    /// How many items were presented.
    private(set) var count = 0

    func present(_ item: PresentedItem) async throws -> PresentedResult {
        count += 1
        return try answer(item)
    }

    func push(_ destination: any Destination) async throws { unexpected() }
    func open(_ link: String) async throws { unexpected() }
    func back() async throws { unexpected() }
    func forward() async throws { unexpected() }
    func pop(to link: String) async throws { unexpected() }
    func root() async throws { unexpected() }
    func replace(with destination: any Destination) async throws { unexpected() }
    func replaceAll(with links: [String]) async throws { unexpected() }
    func bringToFront(_ destination: any Destination) async throws { unexpected() }
    func dismiss(_ result: PresentedResult) async throws { unexpected() }

    private func unexpected() {
        Issue.record("Only presenting is expected.")
    }
}
