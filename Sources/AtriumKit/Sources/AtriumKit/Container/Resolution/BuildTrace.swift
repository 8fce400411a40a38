/// One run of a factory.
@_spi(Host) public struct BuildEvent: Sendable {
    public let name: String
    public let layer: Layer
    /// The module that registered the factory.
    public let module: String
    /// The number of factories that were waiting for it.
    public let depth: Int
    /// The time from the start of the factory to its end, including everything that it built.
    public let duration: Duration
    /// True if the factory threw an error.
    public let hasFailed: Bool
}

/// Collects the runs of factories, and passes them on in order of their starts when the outermost ends.
@MainActor
final class BuildTrace {
    private let receive: @MainActor ([BuildEvent]) -> Void
    private var started: [BuildEvent?] = []
    private var running = 0

    init(_ receive: @escaping @MainActor ([BuildEvent]) -> Void) {
        self.receive = receive
    }

    func measure<Value>(_ slot: Slot, _ registration: Registration, _ body: () throws -> Value) throws
        -> Value
    {
        let index = started.count
        let depth = running
        started.append(nil)
        running += 1
        let start = ContinuousClock.now
        var hasFailed = true
        defer {
            running -= 1
            started[index] = BuildEvent(
                name: slot.key.name, layer: slot.key.layer, module: registration.owner.name, depth: depth,
                duration: .now - start, hasFailed: hasFailed)
            if running == 0 { handOver() }
        }
        let value = try body()
        hasFailed = false
        return value
    }

    private func handOver() {
        let events = started.compactMap { $0 }
        started = []
        receive(events)
    }
}
