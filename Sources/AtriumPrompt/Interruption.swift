internal import AtriumCrash
internal import AtriumLibraries
internal import AtriumSession
internal import AtriumText
internal import Glibc
internal import Synchronization

/// Cancels a task on the first Ctrl-C and ends the process on the second, in case output is blocked; with a
/// crash record if a module keeps the host busy.
package final class Interruption: Sendable {
    private let state = Mutex((task: Task<Void, Never>?.none, isInterrupted: false))

    package init() {}

    /// Sets the task that Ctrl-C cancels; one may have arrived already.
    package func begin(_ task: Task<Void, Never>) {
        let isInterrupted = state.withLock { state in
            state.task = task
            return state.isInterrupted
        }
        if isInterrupted { task.cancel() }
    }

    /// Cancels the task for a reason other than Ctrl-C.
    func cancel() { state.withLock { $0.task }?.cancel() }

    package func handle() {
        let (task, isSecond) = state.withLock { state in
            defer { state.isInterrupted = true }
            return state
        }
        if isSecond {
            // Else the host of a recording would keep running.
            BatchProcess.killAll()
            if Watchdog.hasNamed { CrashHandler.reportHang(status: ExitStatus.cancelled.rawValue) }
            EndSignal.end(by: SIGINT)
        }
        EndSignal.note(SIGINT)
        task?.cancel()
    }
}
