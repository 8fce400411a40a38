internal import CProcess
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The standard input of a child.
///
/// Bytes are written by a thread of Dispatch, in the order of the calls. What a child doesn't read before it
/// closes its input or ends is dropped: how it ended tells more.
package final class ProcessInput: Sendable {
    private let queue = DispatchQueue(label: "atrium.child-input")
    /// Nil once it is closed; used on the queue only, the lock is for the compiler.
    private let descriptor: Mutex<CInt?>

    init(_ descriptor: CInt) {
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        descriptor.withLock { if let descriptor = $0 { _ = Glibc.close(descriptor) } }
    }

    /// Writes the bytes after all that was given before.
    package func write(_ bytes: [UInt8]) {
        queue.async { [self] in
            guard let descriptor = descriptor.withLock({ $0 }) else { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { process_write(descriptor, $0.baseAddress, $0.count) }
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    return
                }
            }
        }
    }

    /// Ends the input, after all that was written.
    package func close() {
        queue.async { [self] in
            descriptor.withLock { descriptor in
                if let open = descriptor { _ = Glibc.close(open) }
                descriptor = nil
            }
        }
    }
}
