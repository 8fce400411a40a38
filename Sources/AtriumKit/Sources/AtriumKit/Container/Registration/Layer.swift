/// The layers of a module, from the outside world up to the person.
@_spi(Host) public enum Layer: String, Sendable, Hashable, CaseIterable {
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

    /// The layer whose contexts have a tag; see ``LayerContext/tag``.
    init(tag: UInt) {
        self =
            switch tag {
            case 0: .infrastructure
            case 1: .service
            case 2: .repository
            case 3: .useCase
            case 4: .aggregateModel
            case 5: .viewModel
            default: .contribution
            }
    }

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

/// How long a value that the container built lives.
public enum Lifetime: String, Sendable, Hashable {
    /// Built on first use, then the same for everyone until the module's generation leaves.
    case shared
    /// Built on each use.
    case transient
    /// Built once per stack entry, and released with it; a shared value can't hold one.
    case entry
}

/// Selects the implementation of every service.
@frozen public enum Environment: String, Sendable, Hashable, CaseIterable, Codable {
    /// Invented data; nothing is stored.
    case mock
    /// Data on this machine.
    case local
    /// Data behind a network API.
    case live
}
