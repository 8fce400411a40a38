extension ModuleRegistry {
    /// Provides the transport over which the host's API client reaches its server.
    ///
    /// The manifest has to say so: `"provides": ["HTTPTransport"]`. A module of activation `onDemand` is then
    /// loaded when the first request is made, and never where none is.
    ///
    /// - Parameters:
    ///   - type: `(any HTTPTransport).self`; infrastructure is what AtriumKit declares and nothing else.
    ///   - factory: Builds the transport, when the first request is made.
    public func infrastructure(
        _ type: (any HTTPTransport).Type,
        _ factory: @escaping @MainActor (borrowing InfrastructureContext) throws -> any HTTPTransport
    ) {
        register((any HTTPTransport).self, named: nil, .shared, factory)
    }
}
