import Glibc

/// How often a loop is to run, and how long it took.
@MainActor
public enum LoopWatch {
    /// How often the next loop runs.
    public static var times = 1
    /// Nanoseconds of wall clock and of the thread's processor time that the last loop took.
    public private(set) static var elapsed = (wall: 0, processor: 0)

    /// Both clocks now.
    public static func start() -> (wall: Int, processor: Int) {
        (nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_THREAD_CPUTIME_ID))
    }

    /// Keeps the time since `start`.
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
