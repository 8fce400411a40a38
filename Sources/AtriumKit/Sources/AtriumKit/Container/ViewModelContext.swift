/// What the factory of a view model can reach: models, use cases, repositories, the navigator and the
/// session to read.
///
/// Cannot be stored or captured.
@MainActor
public struct ViewModelContext: ~Copyable {
    private let container: Container

    init(_ container: Container) {
        self.container = container
    }

    /// The aggregate model registered as `type`.
    public func aggregateModel<Model>(_ type: Model.Type = Model.self) throws -> Model {
        try container.resolve(type, .aggregateModel)
    }

    /// The use case registered as `type`.
    public func useCase<UseCase>(_ type: UseCase.Type = UseCase.self) throws -> UseCase {
        try container.resolve(type, .useCase)
    }

    /// The repository registered as `type`.
    public func repository<Repository>(_ type: Repository.Type = Repository.self) throws -> Repository {
        try container.resolve(type, .repository)
    }

    /// Moves between screens, from the entry that the view model is made for.
    public var navigator: any Navigator { container.navigator }

    /// The session, to read.
    public var session: SessionState { SessionState(.shared) }
}
