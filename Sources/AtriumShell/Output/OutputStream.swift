package import AtriumKit
internal import Dispatch
internal import Glibc

/// A descriptor that text is written to, in large pieces.
@MainActor
package final class OutputStream {
    private let descriptor: CInt
    private let name: String
    private var buffer: [UInt8] = []
    private var flushIsDue = false
    /// Why nothing more can be written.
    private var failure: OutputError?
    private static let limit = 64 * 1024
    /// How long text may wait for more to be written with it.
    private static let delay = DispatchTimeInterval.milliseconds(10)

    package static let standardOutput = OutputStream(descriptor: 1, name: "Standard output")
    package static let standardError = OutputStream(descriptor: 2, name: "Standard error")

    init(descriptor: CInt, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Adds text; it is written when much has come together, or a moment later.
    package func write(_ text: String) throws(OutputError) {
        if let failure { throw failure }
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.limit {
            try flush()
        } else if !flushIsDue {
            flushIsDue = true
            DispatchQueue.main.asyncAfter(deadline: .now() + Self.delay) { self.flushWhatIsLeft() }
        }
    }

    /// Shows what a command printed while the next one takes its time.
    private func flushWhatIsLeft() {
        flushIsDue = false
        // A failure is remembered, and reported by the next write.
        try? flush()
    }

    /// Writes what has come together.
    ///
    /// - Throws: ``OutputError`` where nobody reads any more, or nothing more can be stored.
    package func flush() throws(OutputError) {
        if let failure { throw failure }
        guard !buffer.isEmpty else { return }
        var written = 0
        defer { buffer.removeFirst(written) }
        while written < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                let failure = OutputError(name, errno: errno)
                self.failure = failure
                throw failure
            }
        }
    }
}

/// What was printed can't be delivered.
package struct OutputError: ExplainedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?

    init(_ name: String, errno: CInt) {
        if errno == EPIPE {
            code = .outputClosed
            message = "\(name) was closed by its reader; the rest was not run."
            hint = "Read the output to its end, or send it to a file."
        } else {
            code = .outputFailed
            message = "\(name) can't be written: \(String(cString: strerror(errno))); the rest was not run."
            hint = "Make room, or send the output elsewhere."
        }
    }
}

extension ErrorCode {
    /// The reader of standard output has closed it.
    package static let outputClosed: ErrorCode = "outputClosed"
    /// Standard output can't be written.
    package static let outputFailed: ErrorCode = "outputFailed"
}
