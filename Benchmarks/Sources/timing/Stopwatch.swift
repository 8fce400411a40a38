import Glibc

func nanoseconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// When something began, by the wall clock and by the processor time of the process.
struct Stopwatch {
    private let wall = nanoseconds(CLOCK_MONOTONIC)
    private let processor = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)

    /// Nanoseconds of both since then.
    var elapsed: String {
        let now = nanoseconds(CLOCK_MONOTONIC)
        return "\(now - wall) \(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - processor)"
    }
}
