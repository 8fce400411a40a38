@_spi(Host) internal import AtriumKit

extension APIManager {
    /// Asks for the transport again before the next request; requests under way stay with the former one.
    package func transportDidChange() async {
        transport = nil
        transportGeneration += 1
    }

    /// The transport, found where it was not yet; callers who need it at the same time find it once.
    func currentTransport() async throws -> any HTTPTransport {
        if let transport { return transport }
        let generation = transportGeneration
        return try await transports.run(generation) { try await self.findTransport(generation) }
    }

    /// Looks for the transport and keeps it, in the one flight of all who need it: who comes too late to join
    /// finds it kept.
    private func findTransport(_ generation: Int) async throws -> any HTTPTransport {
        if generation == transportGeneration, let transport { return transport }
        let found = try await provider()
        // One that was found before a change is for those who waited for it at most.
        if generation == transportGeneration { transport = found }
        return found
    }
}
