/// Does what several callers ask for at the same time once, and gives all of them the outcome.
///
/// A failure reaches all who wait and is not remembered; a caller who is cancelled leaves without ending the
/// work for the others.
public actor SingleFlight<Key: Hashable & Sendable, Value: Sendable> {
    private var flights: [Key: SharedWork<Value>] = [:]
    private let endsWhenAbandoned: Bool

    /// - Parameter endsWhenAbandoned: Whether work that nobody waits for any more is cancelled.
    public init(endsWhenAbandoned: Bool = true) {
        self.endsWhenAbandoned = endsWhenAbandoned
    }

    /// How many pieces of work are under way.
    public var count: Int { flights.count }

    /// The outcome of `work`, or of the work for the same key that is under way.
    ///
    /// - Throws: What the work throws; `CancellationError` where the calling task is cancelled.
    public func run(
        _ key: Key, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if let flight = flights[key], let place = flight.join() { return try await flight.value(at: place) }
        let flight = SharedWork<Value>(endsWhenAbandoned: endsWhenAbandoned)
        flights[key] = flight
        // A flight that has just been made takes everybody.
        guard let place = flight.join() else { throw CancellationError() }
        flight.begin { [weak self] in
            do {
                let value = try await work()
                await self?.end(flight, key)
                return value
            } catch {
                await self?.end(flight, key)
                throw error
            }
        }
        return try await flight.value(at: place)
    }

    /// Makes those who come from now on begin anew instead of joining what is under way for `key`.
    public func forget(_ key: Key) {
        flights[key] = nil
    }

    private func end(_ flight: SharedWork<Value>, _ key: Key) {
        if flights[key] === flight { flights[key] = nil }
    }
}
