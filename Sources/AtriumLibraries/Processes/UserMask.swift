/// The umask that the process was started with: the host's files are private, those that users write are not.
package enum UserMask {
    /// Safe: set once, before there is a second thread.
    nonisolated(unsafe) package static var value: UInt32 = 0o022
}
