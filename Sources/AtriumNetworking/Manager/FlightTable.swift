@_spi(Host) internal import AtriumKit

/// Requests under way whose answers others may share, and be stored.
struct FlightTable {
    /// What makes two requests the same.
    struct Key: Hashable, Sendable {
        let cacheKey: CacheKey
        let freshness: APICall.Freshness
        let timeLimit: Duration
        let answerLimit: Int
    }

    /// What who made the request tells those who waited for it.
    enum Outcome: Sendable {
        case ended(Result<HTTPResponse, any Error>)
        /// It was cancelled; somebody else has to make the request.
        case abandoned
    }

    private struct Flight {
        let key: Key
        let path: String
        /// Made when the first one joins: most requests are made alone.
        var followers: Promise<Outcome>?
        /// Whether something changed since it began, so that its answer may be old.
        var isOutdated = false
    }

    private var flights: [Int: Flight] = [:]
    private var joinable: [Key: Int] = [:]
    private var count = 0

    /// How many callers wait for the answers of others.
    var waitingCount: Int { flights.values.reduce(0) { $0 + ($1.followers?.waiterCount ?? 0) } }

    /// The request for `key` under way, with a place among those who wait for its answer.
    mutating func join(_ key: Key) -> (work: Promise<Outcome>, place: Int)? {
        guard let number = joinable[key] else { return nil }
        let work = flights[number]?.followers ?? Promise<Outcome>(cancelsWhenAbandoned: false)
        flights[number]?.followers = work
        return work.join().map { (work, $0) }
    }

    /// Begins a request.
    ///
    /// - Returns: Its number.
    mutating func begin(_ key: Key, path: String) -> Int {
        count += 1
        flights[count] = Flight(key: key, path: path)
        joinable[key] = count
        return count
    }

    /// Ends a request.
    ///
    /// - Returns: Those who wait for it, and whether its answer may be stored.
    mutating func end(_ number: Int) -> (followers: Promise<Outcome>?, isCurrent: Bool) {
        guard let flight = flights.removeValue(forKey: number) else { return (nil, false) }
        if joinable[flight.key] == number { joinable[flight.key] = nil }
        return (flight.followers, !flight.isOutdated)
    }

    /// Something changed at `path`: who comes from now on does not share what was asked before.
    mutating func invalidate(_ path: String) {
        for (number, flight) in flights where PathPrefix.areRelated(flight.path, path) { outdate(number) }
    }

    mutating func invalidateAll() {
        for number in flights.keys { outdate(number) }
    }

    private mutating func outdate(_ number: Int) {
        flights[number]?.isOutdated = true
        guard let key = flights[number]?.key, joinable[key] == number else { return }
        joinable[key] = nil
    }
}
