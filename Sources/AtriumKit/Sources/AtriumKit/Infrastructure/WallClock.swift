/// Tells the time of day; injected, so that tests decide what time it is.
public protocol WallClock: Sendable {
    /// The present moment.
    func now() -> Timestamp
}
