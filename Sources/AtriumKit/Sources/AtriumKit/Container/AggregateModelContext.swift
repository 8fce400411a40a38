/// What the factory of an aggregate model can reach: repositories, use cases and the session to read.
///
/// Cannot be stored or captured.
@MainActor
public struct AggregateModelContext: ~Copyable {
    private let container: Container

    init(_ container: Container) {
        self.container = container
    }

    /// The repository registered as `type`.
    public func repository<Repository>(_ type: Repository.Type = Repository.self) throws -> Repository {
        try container.resolve(type, .repository)
    }

    /// The use case registered as `type`.
    public func useCase<UseCase>(_ type: UseCase.Type = UseCase.self) throws -> UseCase {
        try container.resolve(type, .useCase)
    }

    /// The session, to read.
    public var session: SessionState { SessionState(.shared) }
}
