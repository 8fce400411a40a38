/// One run of a factory, as the trace tells it.
@_spi(Host) public struct BuildEvent: Sendable {
    /// What was built.
    public let name: String
    public let layer: Layer
    public let module: String
    /// How many factories were waiting for it.
    public let depth: Int
    /// From the start of the factory to its end, with everything that it asked for.
    public let duration: Duration
    /// Whether the factory threw.
    public let hasFailed: Bool
}

/// Collects the runs of factories and hands them over when the outermost ends: in the order of their starts.
@MainActor
final class BuildTrace {
    private let receive: @MainActor ([BuildEvent]) -> Void
    private var started: [BuildEvent?] = []
    private var running = 0

    init(_ receive: @escaping @MainActor ([BuildEvent]) -> Void) {
        self.receive = receive
    }

    /// Runs `body`, noting what it builds.
    func measure<Value>(_ slot: Slot, _ registration: Registration, _ body: () throws -> Value) throws
        -> Value
    {
        let position = started.count
        let depth = running
        started.append(nil)
        running += 1
        let start = ContinuousClock.now
        var hasFailed = true
        defer {
            running -= 1
            started[position] = BuildEvent(
                name: slot.key.name, layer: slot.key.layer, module: registration.owner.name, depth: depth,
                duration: .now - start, hasFailed: hasFailed)
            if running == 0 { handOver() }
        }
        let value = try body()
        hasFailed = false
        return value
    }

    /// Notes an awaited build, which may have been interrupted by others.
    func note(_ slot: Slot, _ registration: Registration, since start: ContinuousClock.Instant, failed: Bool)
    {
        receive([
            BuildEvent(
                name: slot.key.name, layer: slot.key.layer, module: registration.owner.name, depth: 0,
                duration: .now - start, hasFailed: failed)
        ])
    }

    private func handOver() {
        let events = started.compactMap { $0 }
        started = []
        receive(events)
    }
}
