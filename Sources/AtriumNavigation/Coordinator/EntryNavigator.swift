@_spi(Host) package import AtriumKit

/// The navigator of one entry's view models; forwards to the coordinator without retaining it.
///
/// A coordinator retains its screens and their view models, so a strong reference would keep every preview alive.
@MainActor
package final class EntryNavigator: Navigator {
    private weak var coordinator: Coordinator?
    /// Set once the entry is on the stack.
    var entry: StackEntry.ID?

    init(_ coordinator: Coordinator) {
        self.coordinator = coordinator
    }

    package func push(_ destination: any Destination) async throws {
        try await current.push(destination)
    }

    package func open(_ link: String) async throws {
        try await current.open(link)
    }

    package func back() async throws {
        try await current.back()
    }

    package func forward() async throws {
        try await current.forward()
    }

    package func pop(to link: String) async throws {
        try await current.pop(to: link)
    }

    package func root() async throws {
        try await current.root()
    }

    package func replace(with destination: any Destination) async throws {
        try await current.replace(with: destination)
    }

    package func replaceAll(with links: [String]) async throws {
        try await current.replaceAll(with: links)
    }

    package func bringToFront(_ destination: any Destination) async throws {
        try await current.bringToFront(destination)
    }

    package func present(_ item: PresentedItem) async throws -> PresentedResult {
        try await current.present(item, by: entry)
    }

    package func dismiss(_ result: PresentedResult) async throws {
        try await current.dismiss(result)
    }

    private var current: Coordinator {
        get throws {
            guard let coordinator else { throw NavigationError.stackIsGone }
            return coordinator
        }
    }
}
