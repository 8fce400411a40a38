/// The layers of a module, from the outside world up to the person.
public enum Layer: String, Sendable, Hashable, CaseIterable {
    case infrastructure, service, repository, useCase, aggregateModel, viewModel, screen

    /// The layer in a sentence: "a repository".
    @_spi(Host) public var phrase: String {
        switch self {
        case .infrastructure: "infrastructure"
        case .service: "a service"
        case .repository: "a repository"
        case .useCase: "a use case"
        case .aggregateModel: "an aggregate model"
        case .viewModel: "a view model"
        case .screen: "a screen"
        }
    }
}

/// How long a value that the container built lives.
public enum Lifetime: Sendable, Hashable {
    /// Built when first wanted, then the same for everybody until the module's generation leaves.
    case shared
    /// Built anew each time.
    case transient
}

/// Which implementation of every service is built.
@frozen public enum Environment: String, Sendable, Hashable, CaseIterable, Codable {
    /// Each service's own invented data; nothing is stored.
    case mock
    /// Data on this machine.
    case local
    /// Data behind a network API.
    case live
}
