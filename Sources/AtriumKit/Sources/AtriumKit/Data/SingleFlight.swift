/// Runs work once for concurrent callers with the same key, and gives all of them the result.
///
/// A failure is not remembered; a cancelled caller leaves without ending the work for the others.
public actor SingleFlight<Key: Hashable & Sendable, Value: Sendable> {
    private var requests: [Key: Promise<Value>] = [:]
    private let cancelsWhenAbandoned: Bool

    /// - Parameter cancelsWhenAbandoned: Whether work is cancelled when no caller waits for it any more.
    public init(cancelsWhenAbandoned: Bool = true) {
        self.cancelsWhenAbandoned = cancelsWhenAbandoned
    }

    /// The number of keys with work in flight.
    public var count: Int { requests.count }

    /// The number of callers that wait for the work of `key`.
    @_spi(Host) public func waiterCount(_ key: Key) -> Int { requests[key]?.waiterCount ?? 0 }

    /// Returns the result of `work`, or of work in flight for the same key.
    public func run(
        _ key: Key, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if let request = requests[key], let ticket = request.join() {
            return try await request.value(for: ticket)
        }
        let request = Promise<Value>(cancelsWhenAbandoned: cancelsWhenAbandoned)
        requests[key] = request
        // A new promise accepts every caller.
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

    /// Makes later callers start new work instead of joining the work for `key` that is in flight.
    public func forget(_ key: Key) {
        requests[key] = nil
    }

    private func end(_ request: Promise<Value>, _ key: Key) {
        if requests[key] === request { requests[key] = nil }
    }
}
