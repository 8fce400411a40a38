import CCrash
import Dispatch
import Glibc

/// Runs the main queue on the thread that the process began with.
///
/// `dispatchMain()`, which an asynchronous `main` ends up in, parks that thread and serves the main queue
/// from a pool, a thread more for each wake-up: start-up would cost half a millisecond more, and the main
/// actor would have a pool thread's small stack. The two functions are those with which a run loop of
/// Foundation drives the main queue; loading Foundation for that costs 5 ms.
package enum MainQueue {
    private typealias Handle = @convention(c) () -> CInt
    private typealias Callback = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// Something else to wait for: a descriptor, and what is done when it can be read.
    ///
    /// Unsafe only in form: the main thread alone uses it.
    nonisolated(unsafe) package static var also: (descriptor: CInt, action: () -> Void)?

    /// Something to do once, at a time or soon after it; costs a process that ends before nothing.
    ///
    /// Unsafe only in form: the main thread alone uses it.
    nonisolated(unsafe) package static var later: (time: ContinuousClock.Instant, action: () -> Void)?

    /// Does what is due, and returns for how many milliseconds there is nothing to do; -1 for ever.
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
            if events.0.revents != 0 {
                var count: UInt64 = 0
                _ = read(queue, &count, MemoryLayout<UInt64>.size)
                ccrash_turn_begin()
                callback(nil)
                ccrash_turn_end()
            }
        }
    }

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}
