internal import AtriumKit
internal import CCrash

/// The process that started the host and starts it again when it crashes.
package enum Supervisor {
    /// The circumstances in which this host process was started.
    package struct Start: Sendable {
        /// True if a supervisor watches over this process.
        package let isSupervised: Bool
        package let restarts: Int
        /// The end of the previous process; nil the first time.
        package let previous: CrashRecord?
    }

    /// Forks the process: the caller continues as the host in a child, the parent waits and never returns.
    ///
    /// Ctrl-C and Ctrl-Z reach the host as if it were alone. If it crashes, the terminal is restored and
    /// the next child returns from here, in milliseconds; after five restarts within half a minute, or three
    /// crashes before ``ready()``, the parent gives up and says so. It ends as the host ended: with its
    /// status, or by the same signal.
    ///
    /// Call it first: in a process that has a second thread it does nothing.
    ///
    /// - Parameter restarts: False only to reap orphans and forward signals, as process 1 of a container has to.
    /// - Returns: How this process was started.
    package static func start(restarts: Bool = true) -> Start {
        let start = ccrash_supervise(restarts)
        return Start(
            isSupervised: start.is_supervised, restarts: Int(start.restarts),
            previous: start.restarts == 0 ? nil : record(of: start))
    }

    /// Prepares ``startAgain()``; call it before ``start(restarts:)``.
    ///
    /// - Parameter path: The host's executable, which may be another version by then.
    package static func prepareRestart(_ path: String) {
        ccrash_prepare_restart(path, CommandLine.unsafeArgv)
    }

    /// Executes the host again with its arguments, once the caller has ended everything else.
    ///
    /// Returns if a parent does it, after the end of this process.
    package static func startAgain() {
        ccrash_start_again()
    }

    /// Records that the host shows its prompt: a crash from now on is not a failed start.
    package static func ready() {
        ccrash_set_ready()
    }

    /// The record that the previous process wrote, or the facts known to its parent.
    private static func record(of start: ccrash_start) -> CrashRecord {
        if start.has_record, let record = try? CrashRecord.read(String(cString: start.record_path)),
            record.process == start.pid
        {
            return record
        }
        let signal = start.status & 0x7F
        let running = UnsafeBufferPointer(start: start.activities, count: Int(start.activity_count))
        let commands = running.filter(\.is_command).map(CrashRecord.Command.init)
        return CrashRecord(
            process: start.pid, signal: signal == 0 ? nil : signal,
            status: signal == 0 ? start.status >> 8 & 0xFF : nil, time: Timestamp(microseconds: start.time),
            commands: commands,
            activities: running.filter { !$0.is_command }.map { String(cString: $0.text) })
    }
}
