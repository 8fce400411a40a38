import AtriumKit

/// The way to servers, loaded when the first request is made and never where none is.
final class URLSessionTransportModule: FeatureModule {
    func register(in registry: ModuleRegistry) throws {
        registry.infrastructure((any HTTPTransport).self) { context in
            let connections = context.configuration.int("connections") ?? 64
            guard (1...1024).contains(connections) else { throw ConnectionsError(connections) }
            return URLSessionTransport(connections: connections)
        }
    }
}

/// A number of connections that can't be had.
struct ConnectionsError: ExplainedError {
    let code: ErrorCode = "badConfiguration"
    let message: String
    let hint: String? = "Set \"connections\" of module URLSessionTransport in modules.json to 64."

    init(_ connections: Int) {
        message =
            "URLSessionTransport can't have \(connections) connections to a server: 1 to 1024 are possible."
    }
}
