import AtriumKit
import Testing

/// A navigator that answers presented items with a closure; any other move fails the test.
@MainActor
final class AnsweringNavigator: Navigator {
    /// Returns the result of each presented item.
    var answer: (PresentedItem) throws -> PresentedResult = { _ in .cancelled }
    /// The number of presented items.
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
