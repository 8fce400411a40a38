/// Does work that several callers ask for at the same time once, and gives all of them the result.
///
/// A failure is not remembered; a caller who is cancelled leaves without ending the work for the others.
public actor SingleFlight<Key: Hashable & Sendable, Value: Sendable> {
    private var requests: [Key: Promise<Value>] = [:]
    private let cancelsWhenAbandoned: Bool

    /// - Parameter cancelsWhenAbandoned: Whether work that nobody waits for any more is cancelled.
    public init(cancelsWhenAbandoned: Bool = true) {
        self.cancelsWhenAbandoned = cancelsWhenAbandoned
    }

    public var count: Int { requests.count }

    @_spi(Host) public func waiterCount(_ key: Key) -> Int { requests[key]?.waiterCount ?? 0 }

    /// The result of `work`, or of the work for the same key that is in flight.
    public func run(
        _ key: Key, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if let request = requests[key], let ticket = request.join() {
            return try await request.value(for: ticket)
        }
        let request = Promise<Value>(cancelsWhenAbandoned: cancelsWhenAbandoned)
        requests[key] = request
        // A new promise takes everybody.
        guard let ticket = request.join() else { throw CancellationError() }
        request.begin { [weak self] in
            do {
                let value = try await work()
                await self?.end(request, key)
                return value
            } catch {
                await self?.end(request, key)
                throw error
            }
        }
        return try await request.value(for: ticket)
    }

    /// Makes later callers begin their own work instead of joining the work for `key` that is in flight.
    public func forget(_ key: Key) {
        requests[key] = nil
    }

    private func end(_ request: Promise<Value>, _ key: Key) {
        if requests[key] === request { requests[key] = nil }
    }
}
