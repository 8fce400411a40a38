internal import Glibc

/// How much of the machine a process may use.
///
/// A child applies them to itself first of all. Set from outside (`prlimit`) they would come at a random time,
/// and posix_spawn can't set them between fork and exec.
package struct ResourceLimits: Sendable, Hashable {
    /// Bytes of private memory that can be written to; nil leaves the limit as it is.
    package var data: Int?
    /// Seconds of processor time; nil leaves the limit as it is.
    package var processorSeconds: Int?

    package init(data: Int? = nil, processorSeconds: Int? = nil) {
        self.data = data
        self.processorSeconds = processorSeconds
    }

    /// Limits this process for good, and disables core files.
    ///
    /// Memory is RLIMIT_DATA: RLIMIT_AS would count the code of libraries too, and the 64 MB of addresses
    /// that the C library reserves for each thread. Beyond the limit an allocation fails, and Swift
    /// ends the process. Processor time ends it by SIGXCPU, or by SIGKILL a second later. Limits are only
    /// ever lowered, which the system never refuses.
    package func applyToSelf() {
        // 1 and not 0: no core file is that small, and where the pattern of core files names a program, only
        // 1 keeps it from being run (Linux, fs/coredump.c).
        Self.lower(CInt(RLIMIT_CORE.rawValue), to: 1, most: 1)
        if let data { Self.lower(CInt(RLIMIT_DATA.rawValue), to: data, most: data) }
        if let processorSeconds {
            Self.lower(CInt(RLIMIT_CPU.rawValue), to: processorSeconds, most: processorSeconds + 1)
        }
    }

    private static func lower(_ resource: CInt, to value: Int, most: Int) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(resource), &limit)
        limit.rlim_max = min(limit.rlim_max, rlim_t(most))
        limit.rlim_cur = min(limit.rlim_cur, rlim_t(value), limit.rlim_max)
        setrlimit(__rlimit_resource_t(resource), &limit)
    }
}
