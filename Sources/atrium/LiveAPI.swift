@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumNetworking
import AtriumRuntime
import AtriumShell
import AtriumStorage

/// The server's API in environment live.
///
/// Nothing is read, loaded or connected before the first request of a service.
@MainActor
final class LiveAPI {
    /// The client of services; fails every request if no server is configured.
    var client: any APIClient { manager ?? NoAPIClient(.noServer) }
    /// The same; nil if no server is configured.
    let manager: APIManager?

    init(
        _ options: Options, _ settings: HostConfiguration.API, site: HostSite, data: DataFolder,
        _ runtime: ModuleRuntime
    ) {
        guard let url = options.api ?? settings.url else {
            manager = nil
            return
        }
        var configuration = APIConfiguration(url)
        configuration.timeLimit = .seconds(settings.timeLimit)
        configuration.retry.attempts = settings.attempts
        configuration.tls = TLSSettings(
            authority: settings.authority, certificate: settings.certificate, key: settings.key)
        manager = APIManager(
            configuration: configuration,
            transport: { [weak runtime] in try await Self.transport(of: runtime) },
            tokens: TokenFile(data.path("tokens-live.json"), server: url.text),
            clock: site.clock, logger: Logger(module: "api", sink: site.log))
    }

    private static func transport(of runtime: ModuleRuntime?) async throws -> any HTTPTransport {
        guard let runtime else { throw CancellationError() }
        return try await runtime.infrastructure((any HTTPTransport).self)
    }

    /// Lets the next request find its transport again if infrastructure was exchanged.
    func didExchange(_ change: ContainerChange) {
        guard let manager, change.changed.contains(where: { $0.layer == .infrastructure }) else { return }
        Task { await manager.transportDidChange() }
    }
}
