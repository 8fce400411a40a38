public import AtriumKit
internal import Glibc

/// A descriptor that text is written to, in large pieces.
@MainActor
public final class OutputStream {
    private let descriptor: CInt
    private let name: String
    private var buffer: [UInt8] = []
    private static let limit = 64 * 1024

    public static let standardOutput = OutputStream(descriptor: 1, name: "Standard output")
    public static let standardError = OutputStream(descriptor: 2, name: "Standard error")

    init(descriptor: CInt, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Adds text; it is written by ``flush()``, or when much has come together.
    public func write(_ text: String) throws(OutputError) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.limit { try flush() }
    }

    /// Writes what has come together.
    ///
    /// - Throws: ``OutputError`` where nobody reads any more, or nothing more can be stored.
    public func flush() throws(OutputError) {
        guard !buffer.isEmpty else { return }
        var written = 0
        defer { buffer.removeAll(keepingCapacity: true) }
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
                throw OutputError(name, errno: errno)
            }
        }
    }
}

/// What was printed can't be delivered.
public struct OutputError: ExplainedError {
    public let code: ErrorCode
    public let message: String
    public let hint: String?

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
    public static let outputClosed: ErrorCode = "outputClosed"
    /// Standard output can't be written.
    public static let outputFailed: ErrorCode = "outputFailed"
}
