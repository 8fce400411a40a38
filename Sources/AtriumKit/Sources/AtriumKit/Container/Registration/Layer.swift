/// The layer of a registration, which decides what its factory may reach.
@_spi(Host) public enum Layer: String, Sendable, Hashable, CaseIterable {
    // In the order of their tags.
    case infrastructure, service, repository, useCase, aggregateModel, viewModel, screen
    /// Beside the layers: an element of a list that several modules add to.
    case contribution
    /// Beside the layers: such a list.
    case list

    /// The layer in a sentence: "a repository".
    public var phrase: String {
        switch self {
        case .infrastructure: "infrastructure"
        case .service: "a service"
        case .repository: "a repository"
        case .useCase: "a use case"
        case .aggregateModel: "an aggregate model"
        case .viewModel: "a view model"
        case .screen: "a screen"
        case .contribution: "a contribution"
        case .list: "a list"
        }
    }

    init(tag: UInt) {
        self = Self.byTag[Int(tag)]
    }

    private static let byTag = allCases

    var tag: UInt {
        switch self {
        case .infrastructure, .list: 0
        case .service: 1
        case .repository: 2
        case .useCase: 3
        case .aggregateModel: 4
        case .viewModel: 5
        case .screen: 6
        case .contribution: 7
        }
    }
}

extension LayerContext where Self: ~Copyable {
    nonisolated static var layer: Layer { Layer(tag: tag) }
}

/// The lifetime of a value that the container built.
public enum Lifetime: String, Sendable, Hashable {
    /// Built on first use, then shared until the module's generation is removed.
    case shared
    /// Built on each use.
    case transient
    /// Built once per stack entry, and released with it; a shared value can't hold one.
    case entry
}

/// The environment, which selects the implementation of every service.
@frozen public enum Environment: String, Sendable, Hashable, CaseIterable, Codable {
    /// Invented data; nothing is stored.
    case mock
    /// Data on this machine.
    case local
    /// Data of a network API.
    case live
}
