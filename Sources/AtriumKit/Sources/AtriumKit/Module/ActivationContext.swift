/// What a module can reach while it is activated: its repositories.
///
/// Cannot be stored or captured.
@MainActor
public struct ActivationContext: ~Copyable {
    private let container: Container

    @_spi(Host) public init(_ container: Container) {
        self.container = container
    }

    /// The repository registered as `type`.
    public func repository<Repository>(_ type: Repository.Type = Repository.self) throws -> Repository {
        try container.resolve(type, .repository)
    }

    /// The session, to read.
    public var session: SessionState { SessionState(.shared) }
}
