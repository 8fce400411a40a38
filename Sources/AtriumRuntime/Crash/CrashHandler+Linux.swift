internal import CCrash
internal import Glibc

/// Records how this process crashes, in a signal handler: CCrash.c.
package enum CrashHandler {
    /// Installs the handler for the process, and gives the calling thread a stack to run it on.
    ///
    /// - Parameter recordPath: The file that a crash makes, for ``CrashRecord/take(from:)``.
    package static func install(recordPath: String) {
        mainThread = pthread_self()
        _ = ccrash_install(recordPath)
    }

    /// The main thread.
    ///
    /// Unsafe only in form: written once, by ``install(recordPath:)``, before there are other threads.
    nonisolated(unsafe) private static var mainThread = pthread_self()

    /// Records which module the library with an address was loaded for; it is never closed.
    ///
    /// - Returns: The bytes of address space that the library takes; 0 if no library has the address.
    @discardableResult
    package static func add(
        imageAt address: UnsafeRawPointer, module: String, generation: Int, digest: String
    ) -> Int {
        ccrash_add_module(address, module, UInt32(clamping: generation), digest)
    }

    /// Notes a command, without secrets, that begins to run at a link, for the records of crashes until ``Activity/end()``.
    ///
    /// Costs some nanoseconds, and keeps 255 bytes of each text. `scene` is the front end that the command is of; nil
    /// for the host's own. `module` is whose code it runs; nil if no module's.
    ///
    /// - Returns: The activity, to be ended.
    package static func begin(
        command: String, at link: String?, in scene: String?, of module: String?
    ) -> Activity {
        Activity(isCommand: true, command, link: link ?? "", scene: scene ?? "", module: module ?? "")
    }

    /// Notes something that the host begins by itself, such as "the update of Counter".
    package static func begin(activity: String) -> Activity {
        Activity(isCommand: false, activity, link: "", scene: "", module: "")
    }

    /// Something that runs; several may at once.
    package struct Activity: Sendable {
        private let number: CInt

        fileprivate init(isCommand: Bool, _ text: String, link: String, scene: String, module: String) {
            number = ccrash_begin(isCommand, text, link, scene, module)
        }

        package func end() {
            ccrash_end(number)
        }
    }

    /// Says that the host itself is about to call `exit`; without it, the call is recorded as a crash.
    package static func willExit() {
        ccrash_will_exit()
    }

    /// Says that all that is left to do is to leave: a crash from now on starts nothing again.
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
