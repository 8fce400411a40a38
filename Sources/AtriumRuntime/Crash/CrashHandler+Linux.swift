internal import CCrash
internal import Glibc

/// Records how this process ends if it crashes; the work is done by CCrash.c, in a signal handler.
package enum CrashHandler {
    /// Installs the handler for the process, and gives the calling thread a stack to run it on.
    ///
    /// A second call only changes the path.
    ///
    /// - Parameter recordPath: The file that a crash makes, for ``CrashRecord/take(from:)``.
    /// - Returns: Whether crashes will be recorded.
    @discardableResult
    package static func install(recordPath: String) -> Bool {
        mainThread = pthread_self()
        return ccrash_install(recordPath)
    }

    /// The main thread.
    ///
    /// Unsafe only in form: written once, by ``install(recordPath:)``, before there are other threads.
    nonisolated(unsafe) private static var mainThread = pthread_self()

    /// Makes a stack overflow on the calling thread be recorded, too; lasts until the thread ends.
    package static func protectThread() {
        _ = ccrash_protect_thread()
    }

    /// Records which module a library was loaded for.
    ///
    /// - Parameters:
    ///   - address: An address in the library, such as its entry's; the library is never closed.
    ///   - module: The module's name.
    ///   - generation: Which build of it, counted from 1.
    ///   - digest: The digest of the library's content.
    /// - Returns: Whether the library was found.
    @discardableResult
    package static func add(
        imageAt address: UnsafeRawPointer, module: String, generation: Int, digest: String
    ) -> Bool {
        ccrash_add_module(address, module, UInt32(clamping: generation), digest)
    }

    /// Notes the command that is about to run; costs some nanoseconds, and keeps 255 bytes.
    package static func note(command: String) {
        var command = command
        command.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { ccrash_set_command($0.baseAddress, $0.count) }
        }
    }

    /// Notes where the person is.
    package static func note(place: String) {
        var place = place
        place.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { ccrash_set_place($0.baseAddress, $0.count) }
        }
    }

    /// Says that the host itself is about to call `exit`; without it, the call is recorded as a crash.
    package static func willExit() {
        ccrash_will_exit()
    }

    /// Ends the process, with a record of what the main thread is doing; call it from another thread.
    package static func reportHang() -> Never {
        ccrash_report_hang(mainThread)
    }
}
