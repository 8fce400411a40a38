internal import AtriumKit
package import AtriumText
internal import CCrash
internal import Dispatch

/// The system's limits for this process: open files, threads and address space.
///
/// Dispatch traps when it gets no descriptor, and retries for ever to get a thread or memory. So the host
/// checks before it uses Dispatch, and keeps a reserve while it serves clients.
package enum ProcessLimits {
    /// The fewest open files: enough for a host with a few modules and their databases, and a client.
    private static let fewestFiles = 48
    /// Standard input, output and error.
    private static let standardFiles = 3
    /// Below this, have Dispatch open all its descriptors at once.
    private static let plentyOfFiles = 256
    private static let wantedFiles = 1024
    /// The descriptors that commands may need at a time in a host that serves clients.
    private static let reservedFiles = 16
    private static let fewestThreads = 25
    /// One host never reaches limits above this, so they need no check.
    private static let plentyOfThreads = 2048
    private static let fewestBytes = 192 << 20
    private static let reservedBytes = 48 << 20

    /// Checks that the host can run; call it before any thread is started.
    ///
    /// - Throws: ``ShellError`` with code `tooFewResources`.
    package static func check() throws(ShellError) {
        process_limits_raise_files(wantedFiles)
        let files = process_limits_files()
        guard files < 0 || files >= fewestFiles else {
            throw error(
                "The host needs \(fewestFiles) open files, but its limit is \(files).",
                "ulimit -n \(wantedFiles)"
            )
        }
        // A parent may have left files open.
        let free = Int(process_limits_free_files(CInt(fewestFiles - standardFiles)))
        guard files < 0 || free >= fewestFiles - standardFiles else {
            throw error(
                "The host needs \(fewestFiles) open files, but only \(free + standardFiles) of the \(files) that "
                    + "its limit allows are free.", "ulimit -n \(wantedFiles + files)")
        }
        process_limits_keep_reserve()
        let threads = process_limits_threads()
        guard threads < 0 || threads > plentyOfThreads || process_limits_has_threads(CInt(fewestThreads))
        else {
            throw error(
                "The host needs \(fewestThreads) threads; the limit for all programs of its user is \(threads).",
                "ulimit -u 4096")
        }
        guard process_limits_addresses() >= 0 else { return }
        process_limits_spare_addresses()
        guard process_limits_has_addresses(fewestBytes) else {
            let megabytes = process_limits_addresses() >> 20
            throw error(
                "The address-space limit of \(megabytes) MB is too small.", "ulimit -v unlimited")
        }
    }

    private static func error(_ message: String, _ command: String) -> ShellError {
        ShellError("tooFewResources", message, hint: "Raise the limit: \(command)")
    }

    /// Has Dispatch open its descriptors now, if there may be none later.
    @MainActor
    package static func prepareDispatch() async {
        guard (0..<plentyOfFiles).contains(process_limits_files()) else { return }
        try? await Task.sleep(for: .nanoseconds(1), clock: .continuous)
        try? await Task.sleep(for: .nanoseconds(1), clock: .suspending)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(wallDeadline: .now()) {
                DispatchQueue.global().asyncAfter(deadline: .now()) { continuation.resume() }
            }
        }
    }

    /// Runs `body`, which must be short, with the reserved descriptors available.
    package static func withReserve<Value>(_ body: () -> Value) -> Value {
        let isRaised = ccrash_raise_file_limit()
        defer { if isRaised { ccrash_restore_file_limit() } }
        return body()
    }

    /// Why no further client can be served; nil if it can.
    ///
    /// - Parameter descriptor: The connection's descriptor, which was the lowest free one.
    /// - Returns: A clause.
    package static func lack(for descriptor: CInt) -> String? {
        let files = process_limits_files()
        if files >= 0, Int(descriptor) >= files - reservedFiles {
            return "the host is limited to \(files) open files"
        }
        if process_limits_addresses() >= 0, !process_limits_has_addresses(reservedBytes) {
            return "the host's address space is limited to \(process_limits_addresses() >> 20) MB"
        }
        return nil
    }
}
