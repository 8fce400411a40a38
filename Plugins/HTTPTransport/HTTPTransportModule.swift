import AtriumKit

/// Provides the HTTP transport; loaded by the first request.
final class HTTPTransportModule: FeatureModule {
    func register(in registry: ModuleRegistry) throws {
        registry.infrastructure((any HTTPTransport).self) { context in
            let configuration = context.configuration
            var limits = TransportLimits()
            limits.connections = configuration.int("connections") ?? limits.connections
            guard (1...1024).contains(limits.connections) else {
                throw Self.invalid(
                    "\(limits.connections) connections to a server", "1 to 1024", "connections")
            }
            limits.connect = try Self.duration(configuration, "connectLimit") ?? limits.connect
            limits.idle = try Self.duration(configuration, "idleLimit") ?? limits.idle
            return CurlTransport(limits)
        }
    }

    private static func duration(_ configuration: Configuration, _ name: String) throws -> Duration? {
        guard let seconds = configuration.double(name) else { return nil }
        guard (0.1...3600).contains(seconds) else {
            throw invalid("a limit of \(seconds) seconds", "0.1 to 3600", name)
        }
        return .milliseconds(Int(seconds * 1000))
    }

    private static func invalid(_ what: String, _ range: String, _ name: String) -> TransportError {
        TransportError(
            "badConfiguration", "HTTPTransport can't use \(what); \(range) are possible.",
            hint: "Correct \"\(name)\" of module HTTPTransport in modules.json, or remove it.")
    }
}
