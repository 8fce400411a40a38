import Glibc

/// The number of repetitions of a loop, and its time.
@MainActor
public enum LoopWatch {
    /// The number of repetitions of the next loop.
    public static var times = 1
    /// Wall-clock and thread processor time of the last loop, in nanoseconds.
    public private(set) static var elapsed = (wall: 0, processor: 0)

    /// The current values of both clocks.
    public static func start() -> (wall: Int, processor: Int) {
        (nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_THREAD_CPUTIME_ID))
    }

    /// Stores the time since `start`.
    public static func stop(_ start: (wall: Int, processor: Int)) {
        let wall = nanoseconds(CLOCK_MONOTONIC)
        elapsed = (wall - start.wall, nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start.processor)
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
