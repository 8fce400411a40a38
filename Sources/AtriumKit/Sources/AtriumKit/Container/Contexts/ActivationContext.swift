/// The context of ``FeatureModule/activate(_:)``; can't be stored or captured.
@MainActor
public struct ActivationContext: ~Copyable {
    private let request: Request

    @_spi(Host) public init(_ container: Container, for scope: ModuleScope) {
        request = Request(container: container, scope: scope)
    }

    /// The repository registered as `type`.
    public func repository<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) throws -> Repository {
        try request.core.resolve(type, named: name, RepositoryContext.self)
    }

    /// A provider of the repository, for later or repeated use.
    public func repositoryProvider<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) -> Provider<Repository> {
        Provider(type, named: name, RepositoryContext.self, request.core)
    }

    /// The session, read-only.
    public var session: SessionState { SessionState(request.session) }
    /// The log, under the module's name.
    public var logger: Logger { request.core.infrastructure.logger }
    /// The time of day; use it instead of the system's clock, so that tests can control it.
    public var clock: any WallClock { request.core.infrastructure.clock }
    /// The module's configuration from `modules.json`.
    public var configuration: Configuration { request.core.infrastructure.configuration }
    /// The path of the folder for the module's own files; created on first use.
    public var dataFolder: String { get throws { try request.core.infrastructure.makeDataFolder() } }

    /// Runs a task in the background; the host cancels it when the generation stops, and reports it by name
    /// if it is still running.
    public func run(_ name: String, _ operation: @escaping @MainActor () async -> Void) {
        request.scope?.tasks.run(name, operation)
    }

    /// Runs a task, and waits for it up to `limit`; after that it continues in the background.
    ///
    /// For work whose result the first screen should have, but for which the start of the host must not wait
    /// long, such as a request.
    public func run(
        _ name: String, waitingAtMost limit: Duration, _ operation: @escaping @MainActor () async -> Void
    ) async {
        await run(name, waitingAtMost: limit, sleep: { try await Task.sleep(for: $0) }, operation)
    }

    @_spi(Host) public func run(
        _ name: String, waitingAtMost limit: Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        _ operation: @escaping @MainActor () async -> Void
    ) async {
        let promise = Promise<Void>()
        run(name) {
            await operation()
            promise.settle(.success(()))
        }
        let timer = Task {
            try? await sleep(limit)
            promise.settle(.success(()))
        }
        try? await promise.value()
        timer.cancel()
    }
}
