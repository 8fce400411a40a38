@_spi(Host) package import AtriumKit

/// Navigates on the stack of a coordinator.
@MainActor
package protocol StackNavigator: Navigator {
    var coordinator: Coordinator { get throws }
    /// The entry whose view models navigate; nil for the stack itself.
    var entry: StackEntry.ID? { get }
}

extension StackNavigator {
    package func push(_ destination: any Destination) async throws {
        _ = try await coordinator.navigate(request(.push, destination))
    }

    package func open(_ link: String) async throws { try await coordinator.open(Link(link)) }

    package func back() async throws { try coordinator.navigateWithoutBuilding(.back) }

    package func forward() async throws { try coordinator.navigateWithoutBuilding(.forward) }

    package func pop(to link: String) async throws {
        try await coordinator.navigate(NavigationRequest(.popTo, link: Link(link).description))
    }

    package func root() async throws { try coordinator.navigateWithoutBuilding(.root) }

    package func replace(with destination: any Destination) async throws {
        _ = try await coordinator.navigate(request(.replace, destination))
    }

    package func replaceAll(with links: [String]) async throws {
        let links = try links.map { try Link($0).description }
        try await coordinator.navigate(NavigationRequest(.replaceAll, links: links))
    }

    package func bringToFront(_ destination: any Destination) async throws {
        _ = try await coordinator.navigate(request(.bringToFront, destination))
    }

    package func present(_ item: PresentedItem) async throws -> PresentedResult {
        try await coordinator.present(item, by: entry)
    }

    package func dismiss(_ result: PresentedResult) async throws {
        let coordinator = try coordinator
        let isPresenting = coordinator.state.entries.contains { $0.presentation != nil }
        if !isPresenting, let main = coordinator.main { return try await main.dismiss(result) }
        try await coordinator.navigate(
            NavigationRequest(.dismiss, result: result, isForced: result.json != nil))
    }

    private func request(
        _ operation: NavigationRequest.Operation, _ destination: any Destination
    ) throws -> QueuedRequest {
        let link = try destination.link()
        return QueuedRequest(NavigationRequest(operation, link: link.description), destination, link: link)
    }
}

/// The navigator of one entry's view models.
///
/// A coordinator retains its screens and view models, so a strong reference would keep every preview alive.
@MainActor
package final class EntryNavigator: StackNavigator {
    private weak var stack: Coordinator?
    /// Set once the entry is on the stack.
    package var entry: StackEntry.ID?

    init(_ coordinator: Coordinator) {
        stack = coordinator
    }

    package var coordinator: Coordinator {
        get throws {
            guard let stack else { throw NavigationError.stackIsGone }
            return stack
        }
    }
}
