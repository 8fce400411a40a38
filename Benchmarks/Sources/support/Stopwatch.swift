package import Glibc

package func nanoseconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Measures wall-clock time and the process's processor time since its creation.
package struct Stopwatch {
    private let wall = nanoseconds(CLOCK_MONOTONIC)
    private let processor = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)

    package init() {}

    /// Both times in nanoseconds, as the programs print them.
    package var elapsed: String {
        let now = nanoseconds(CLOCK_MONOTONIC)
        return "\(now - wall) \(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - processor)"
    }
}
