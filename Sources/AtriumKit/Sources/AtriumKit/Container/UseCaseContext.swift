/// What the factory of a use case can reach: repositories.
///
/// Cannot be stored or captured.
@MainActor
public struct UseCaseContext: ~Copyable {
    private let container: Container

    init(_ container: Container) {
        self.container = container
    }

    /// The repository registered as `type`.
    public func repository<Repository>(_ type: Repository.Type = Repository.self) throws -> Repository {
        try container.resolve(type, .repository)
    }
}
