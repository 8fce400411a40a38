/// The servers' APIs of a host, for its commands.
package struct HostAPIs: Sendable {
    /// Nil unless the environment is live and a server is configured.
    package let standard: APIManager?
    /// The named APIs that modules have used, by name.
    package let named: @MainActor @Sendable () -> [String: APIManager]
    package let tracer: APITracer

    package init(
        standard: APIManager? = nil,
        named: @escaping @MainActor @Sendable () -> [String: APIManager] = { [:] },
        tracer: APITracer = APITracer()
    ) {
        self.standard = standard
        self.named = named
        self.tracer = tracer
    }
}
