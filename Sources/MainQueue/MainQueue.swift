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

    package static func run() -> Never {
        guard let handle = function("_dispatch_get_main_queue_handle_4CF", as: Handle.self),
            let callback = function("_dispatch_main_queue_callback_4CF", as: Callback.self)
        else { dispatchMain() }
        var wakeUp = pollfd(fd: handle(), events: Int16(POLLIN), revents: 0)
        while true {
            if poll(&wakeUp, 1, -1) > 0 {
                var count: UInt64 = 0
                _ = read(wakeUp.fd, &count, MemoryLayout<UInt64>.size)
                callback(nil)
            }
        }
    }

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}
