internal import AtriumKit
internal import Dispatch
internal import Glibc

@MainActor
package final class OutputStream {
    /// Writes bytes at once; returns the error number if it can't.
    package typealias Sink = @MainActor (UnsafeRawBufferPointer) -> CInt?

    private let name: String
    /// The end of the error message, which says if the rest of a script was not run.
    private let ending: String
    private let sink: Sink
    private var buffer: [UInt8] = []
    private var flushIsDue = false
    /// Why nothing can be written any more.
    package private(set) var failure: ShellError?
    private static let limit = 64 * 1024
    private static let delay = DispatchTimeInterval.milliseconds(10)

    package static let standardOutput = OutputStream(descriptor: 1, name: "Standard output")
    package static let standardError = OutputStream(descriptor: 2, name: "Standard error")

    /// A stream whose failure ends a script, unless it only carries the result of a command.
    package init(name: String, isOfCommand: Bool = false, sink: @escaping Sink) {
        self.name = name
        ending = isOfCommand ? "." : "; the rest was not run."
        self.sink = sink
    }

    /// Writes to a descriptor as it was at the process's start: modules print to what it is now.
    package convenience init(descriptor: CInt, name: String) {
        self.init(name: name) { Self.write($0, to: HostOutput.descriptor(descriptor)) }
    }

    /// Buffers text, to be written soon.
    package func write(_ text: String) throws(ShellError) {
        if let failure { throw failure }
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.limit {
            try flush()
        } else if !flushIsDue {
            flushIsDue = true
            // A script that ends in this turn flushes without a timer, which would be the process's first.
            DispatchQueue.main.async { self.flushLater() }
        }
    }

    private func flushLater() {
        guard !buffer.isEmpty else { return flushIsDue = false }
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.delay) { self.flushWhatIsLeft() }
    }

    private func flushWhatIsLeft() {
        flushIsDue = false
        // The next write reports a failure.
        try? flush()
    }

    package func flush() throws(ShellError) {
        if let failure { throw failure }
        guard !buffer.isEmpty else { return }
        let number = buffer.withUnsafeBytes(sink)
        buffer.removeAll(keepingCapacity: true)
        guard let number else { return }
        try fail(ShellError.outputFailed(name, errno: number, ending))
    }

    /// Throws an error, which every further write throws too.
    func fail(_ error: ShellError) throws(ShellError) {
        failure = error
        throw error
    }

    /// Writes all bytes, waiting while a descriptor accepts none; returns the error number on failure.
    package nonisolated static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> CInt? {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}

extension ShellError {
    package static func outputFailed(_ name: String, errno: CInt, _ ending: String = ".") -> ShellError {
        if errno == EPIPE {
            return ShellError(
                .outputClosed, "\(name) was closed by its reader\(ending)",
                hint: "Read the output to its end, or send it to a file.")
        }
        return ShellError(
            .outputFailed, "\(name) can't be written: \(String(cString: strerror(errno)))\(ending)",
            hint: "Make room, or send the output elsewhere.")
    }

    /// True if the error is about writing output, not about producing it.
    package var isOfOutput: Bool { [.outputClosed, .outputFailed].contains(code) }
}

extension ErrorCode {
    static let outputClosed: ErrorCode = "outputClosed"
    static let outputFailed: ErrorCode = "outputFailed"
}
