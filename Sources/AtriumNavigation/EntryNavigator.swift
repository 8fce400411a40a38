@_spi(Host) internal import AtriumKit

/// The navigator that view models get: moves their coordinator, and does not keep it.
///
/// A coordinator holds its screens, and those their view models; a stack that only looked at a place would
/// stay for ever.
@MainActor
final class EntryNavigator: Navigator {
    private weak var coordinator: Coordinator?

    init(_ coordinator: Coordinator) {
        self.coordinator = coordinator
    }

    func push(_ destination: any Destination) async throws {
        try await current.push(destination)
    }

    func open(_ link: String) async throws {
        try await current.open(link)
    }

    func back() async throws {
        try await current.back()
    }

    func root() async throws {
        try await current.root()
    }

    private var current: Coordinator {
        get throws {
            guard let coordinator else { throw NavigationError.stackIsGone }
            return coordinator
        }
    }
}
