@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumNetworking
import AtriumRuntime
import AtriumShell
import AtriumStorage

/// The server's API in environment live; nothing of it is made in the others.
///
/// Nothing is read, loaded or connected before a service makes the first request.
@MainActor
final class LiveAPI {
    /// What services get; one that fails where no server is configured.
    let client: any APIClient
    /// The same, where one is configured.
    let manager: APIManager?

    init(
        _ options: Options, _ settings: HostConfiguration.API, site: HostSite, data: DataFolder,
        _ runtime: ModuleRuntime
    ) {
        guard let url = options.api ?? settings.url else {
            manager = nil
            client = NoAPIClient(.noServer)
            return
        }
        var configuration = APIConfiguration(url)
        configuration.timeLimit = .seconds(settings.timeLimit)
        configuration.retry.attempts = settings.attempts
        let manager = APIManager(
            configuration: configuration,
            transport: { [weak runtime] in try await Self.transport(of: runtime) },
            tokens: TokenFile(data.path("tokens-live.json"), server: url.text),
            clock: site.clock, logger: Logger(module: "api", sink: site.log))
        self.manager = manager
        client = manager
    }

    /// The transport, from the module that provides it, which is loaded where it was not yet.
    private static func transport(of runtime: ModuleRuntime?) async throws -> any HTTPTransport {
        guard let runtime else { throw CancellationError() }
        return try await runtime.infrastructure((any HTTPTransport).self)
    }

    /// Lets the next request look for its transport again, where modules were exchanged.
    func didExchange(_ change: ContainerChange) {
        guard let manager, change.changed.contains(where: { $0.layer == .infrastructure }) else { return }
        Task { await manager.transportDidChange() }
    }
}
