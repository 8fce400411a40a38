internal import CCrash
internal import Glibc

/// Records a crash of this process in a signal handler: CCrash.c.
package enum CrashHandler {
    /// Installs the handler for the process, and gives the calling thread a stack to run it on.
    ///
    /// - Parameter recordPath: The file to write on a crash, for ``CrashRecord/read(_:)``.
    package static func install(recordPath: String) {
        mainThread = pthread_self()
        _ = ccrash_install(recordPath)
    }

    /// The main thread.
    ///
    /// Safe: written once, by ``install(recordPath:)``, before there are other threads.
    nonisolated(unsafe) private static var mainThread = pthread_self()

    /// Records the module whose library contains an address; that library is never closed.
    ///
    /// - Returns: The bytes of address space that the library takes; 0 if no library has the address.
    @discardableResult
    package static func add(
        imageAt address: UnsafeRawPointer, module: String, generation: Int, digest: String
    ) -> Int {
        ccrash_add_module(address, module, UInt32(clamping: generation), digest)
    }

    /// Records the library of code that was typed after `command`; that library is never closed.
    ///
    /// The watchdog names it if it keeps the main actor busy.
    package static func add(codeAt address: UnsafeRawPointer, of command: String) {
        ccrash_add_code(address, command)
    }

    /// Records a command, without secrets, for crash records until ``Activity/end()``.
    ///
    /// Costs a few nanoseconds, and keeps 255 bytes of each text. `scene` is the command's front end; nil for
    /// the host's own. `module` is the module whose code it runs; nil if none.
    ///
    /// - Returns: The activity, which must be ended.
    package static func begin(command: String, in scene: String?, of module: String?) -> Activity {
        Activity(isCommand: true, command, scene: scene ?? "", module: module ?? "")
    }

    /// Records background work of the host, such as "the update of Counter".
    package static func begin(activity: String) -> Activity {
        Activity(isCommand: false, activity, scene: "", module: "")
    }

    /// A running activity; several may run at once.
    package struct Activity: Sendable {
        private let number: CInt

        fileprivate init(isCommand: Bool, _ text: String, scene: String, module: String) {
            number = ccrash_begin(isCommand, text, scene, module)
        }

        package func end() {
            ccrash_end(number)
        }
    }

    /// Announces that the host itself is about to call `exit`, which would otherwise be recorded as a crash.
    package static func willExit() {
        ccrash_will_exit()
    }

    /// Announces that the host only has to exit: a crash from now on restarts nothing.
    package static func willLeave() {
        ccrash_set_leaving()
    }

    /// Ends the process, with a record of what the main thread is doing; call it from another thread.
    ///
    /// - Parameter status: The exit code; nil to end by SIGABRT.
    package static func reportHang(status: Int32? = nil) -> Never {
        ccrash_report_hang(mainThread, status ?? 0)
    }
}
