package import AtriumKit
internal import Glibc

/// The system clock, which the server's tokens expire by.
package struct SystemTime: WallClock {
    package init() {}

    package func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
