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

    /// What the words of the layer's registrations end in; see ``LayerContext/tag``.
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
