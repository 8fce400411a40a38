import AtriumKit

/// Provides the HTTP transport; loaded by the first request.
final class HTTPTransportModule: FeatureModule {
    func register(in registry: ModuleRegistry) throws {
        registry.infrastructure((any HTTPTransport).self) { context in
            let configuration = context.configuration
            var limits = TransportLimits()
            limits.connections = configuration.int("connections") ?? limits.connections
            limits.connect = Self.duration(configuration, "connectLimit") ?? limits.connect
            limits.idle = Self.duration(configuration, "idleLimit") ?? limits.idle
            return CurlTransport(limits)
        }
    }

    private static func duration(_ configuration: Configuration, _ name: String) -> Duration? {
        configuration.double(name).map { .milliseconds(Int($0 * 1000)) }
    }
}
