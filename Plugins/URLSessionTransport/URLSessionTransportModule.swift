import AtriumKit

/// Provides the HTTP transport; loaded by the first request.
final class URLSessionTransportModule: FeatureModule {
    func register(in registry: ModuleRegistry) throws {
        registry.infrastructure((any HTTPTransport).self) { context in
            let connections = context.configuration.int("connections") ?? 64
            guard (1...1024).contains(connections) else {
                throw TransportError(
                    "badConfiguration",
                    "URLSessionTransport can't use \(connections) connections to a server; "
                        + "1 to 1024 are possible.",
                    hint: "Set \"connections\" of module URLSessionTransport in modules.json to 64.")
            }
            return URLSessionTransport(connections: connections)
        }
    }
}
