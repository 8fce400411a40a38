import AtriumKit

/// A navigator whose every move fails.
@MainActor
final class FailingNavigator: Navigator {
    struct Failure: ExplainedError, Equatable {
        let code: ErrorCode
        var message: String { "This navigator goes nowhere." }
    }

    private let failure: Failure

    init(code: ErrorCode) {
        failure = Failure(code: code)
    }

    func push(_ destination: any Destination) async throws { throw failure }
    func open(_ link: String) async throws { throw failure }
    func back() async throws { throw failure }
    func forward() async throws { throw failure }
    func pop(to link: String) async throws { throw failure }
    func root() async throws { throw failure }
    func replace(with destination: any Destination) async throws { throw failure }
    func replaceAll(with links: [String]) async throws { throw failure }
    func bringToFront(_ destination: any Destination) async throws { throw failure }
    func present(_ item: PresentedItem) async throws -> PresentedResult { throw failure }
    func dismiss(_ result: PresentedResult) async throws { throw failure }
}
