package import Glibc

/// The umask that the process was started with: what the host keeps is private, what users write is not.
package enum UserMask {
    /// Unsafe only in form: set once, before there is a second thread.
    nonisolated(unsafe) package static var value: mode_t = 0o022
}
