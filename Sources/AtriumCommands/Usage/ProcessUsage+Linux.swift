internal import AtriumStorage
internal import Glibc

/// The resources that this process uses.
struct ProcessUsage {
    /// The current and the peak memory, in bytes.
    let memory: Int
    let peak: Int
    /// The processor time used.
    let computed: Duration

    init() {
        let pages = (try? FileContents.read("/proc/self/statm", limit: 4_096)).flatMap { bytes in
            String(decoding: bytes, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int($0) }
        }
        memory = (pages ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        // In kilobytes (getrusage(2)).
        peak = max(memory, usage.ru_maxrss * 1_024)
        // In microseconds: POSIX defines CLOCKS_PER_SEC as a million.
        computed = .microseconds(clock())
    }
}
