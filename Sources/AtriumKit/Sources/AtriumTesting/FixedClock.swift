public import AtriumKit
internal import Synchronization

/// A clock that stands still until it is told to move.
public final class FixedClock: WallClock {
    private let current: Mutex<Timestamp>

    /// - Parameter start: The first moment; 2026-01-01T00:00:00Z unless given.
    public init(_ start: Timestamp = Timestamp(microseconds: 1_767_225_600_000_000)) {
        current = Mutex(start)
    }

    public func now() -> Timestamp {
        current.withLock { $0 }
    }

    /// Moves the clock forward.
    public func advance(seconds: Int) {
        current.withLock { $0 = $0.adding(seconds: seconds) }
    }
}
