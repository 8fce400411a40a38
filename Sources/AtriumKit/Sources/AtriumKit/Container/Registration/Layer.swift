/// The layers of a module, from the outside world up to the person.
public enum Layer: String, Sendable, Hashable, CaseIterable {
    case infrastructure, service, repository, useCase, aggregateModel, viewModel, screen
    /// Beside the layers: an element of a list that several modules add to.
    case contribution
    /// Beside the layers: such a list.
    case list

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
        case .contribution: "a contribution"
        case .list: "a list"
        }
    }

    /// The tag in the words of the layer's registrations; see ``LayerContext/tag``.
    var tag: UInt {
        switch self {
        case .infrastructure: 0
        case .service: ServiceContext.tag
        case .repository: RepositoryContext.tag
        case .useCase: UseCaseContext.tag
        case .aggregateModel: AggregateModelContext.tag
        case .viewModel: ViewModelContext.tag
        case .screen: 6
        case .contribution: ContributionContext.tag
        case .list: 0
        }
    }
}

/// How long a value that the container built lives.
public enum Lifetime: String, Sendable, Hashable {
    /// Built on first use, then the same for everyone until the module's generation leaves.
    case shared
    /// Built on each use.
    case transient
    /// Built once per stack entry, on first use by the entry's screen, and released with the entry.
    ///
    /// A shared value can't hold one: it would outlive the entry.
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
