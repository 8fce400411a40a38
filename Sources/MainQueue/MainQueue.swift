import CCrash
import Dispatch
import Glibc

/// Runs the main queue on the process's initial thread.
///
/// `dispatchMain()`, which an asynchronous `main` ends up in, parks that thread and serves the main queue
/// from a pool, with another thread for each wake-up: start-up would cost half a millisecond more, and the
/// main actor would have a pool thread's small stack. The two functions are the ones with which Foundation's
/// run loop drives the main queue; loading Foundation for that costs 5 ms.
package enum MainQueue {
    private typealias Handle = @convention(c) () -> CInt
    private typealias Callback = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// Another event to wait for: a descriptor, and the action to run when it is readable.
    ///
    /// Unsafe only in form: only the main thread uses it.
    nonisolated(unsafe) package static var also: (descriptor: CInt, action: () -> Void)?

    /// An action to run once, at a time or soon after it; free if the process exits first.
    ///
    /// Unsafe only in form: only the main thread uses it.
    nonisolated(unsafe) package static var later: (time: ContinuousClock.Instant, action: () -> Void)?

    /// Runs what is due, and returns the milliseconds until more is due; -1 if nothing is scheduled.
    private static func doWhatIsDue() -> CInt {
        guard let due = later else { return -1 }
        let left = ContinuousClock.now.duration(to: due.time) / .milliseconds(1)
        if left > 0 { return CInt(min(left.rounded(.up), 60_000)) }
        later = nil
        due.action()
        return -1
    }

    package static func run() -> Never {
        guard let handle = function("_dispatch_get_main_queue_handle_4CF", as: Handle.self),
            let callback = function("_dispatch_main_queue_callback_4CF", as: Callback.self)
        else { dispatchMain() }
        let queue = handle()
        while true {
            // A negative descriptor is ignored.
            var events = (
                pollfd(fd: queue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: also?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
            )
            let pause = doWhatIsDue()
            let count = withUnsafeMutableBytes(of: &events) {
                poll($0.assumingMemoryBound(to: pollfd.self).baseAddress, 2, pause)
            }
            guard count > 0 else { continue }
            if events.1.revents & Int16(POLLIN) != 0 {
                also?.action()
            } else if events.1.revents != 0 {
                also = nil  // it was closed
            }
            if events.0.revents & Int16(POLLNVAL) != 0 {
                // Code of a module has closed it: the host can't go on, and the next start reports a crash.
                abort()
            }
            if events.0.revents != 0 {
                var count: UInt64 = 0
                _ = read(queue, &count, MemoryLayout<UInt64>.size)
                ccrash_turn_begin()
                MainActorTime.beginTurn()
                callback(nil)
                MainActorTime.endTurn()
                ccrash_turn_end()
            }
        }
    }

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}
