import AtriumKit
import Glibc

/// Collects a response in memory, up to a limit, or in a file.
final class ResponseBody {
    /// The limit for a body in memory, in bytes.
    private let limit: Int
    /// The file for a body with status 200 to 299; nil for memory.
    private let path: String?
    private let progress: @Sendable (TransferProgress) -> Void
    private var response: HTTPResponse?
    private var file: PartialFile?
    private var received: Int64 = 0
    /// The size of the body, if the server states it.
    private var expected: Int64?

    var isForFile: Bool { path != nil }

    init(limit: Int, _ path: String?, _ progress: @escaping @Sendable (TransferProgress) -> Void) {
        self.limit = limit
        self.path = path
        self.progress = progress
    }

    /// - Throws: ``TransportError`` if the body is too large, or its file can't be created.
    func begin(_ head: HTTPResponse, _ length: Int64?, of request: HTTPRequest) throws(TransportError) {
        response = head
        expected = length
        if head.fields["Content-Encoding"] != nil {
            // libcurl decodes the body, to which these fields do not apply.
            expected = nil
            response?.fields["Content-Encoding"] = nil
            response?.fields["Content-Length"] = nil
        }
        if let path, (200..<300).contains(head.status) {
            file = try PartialFile(beside: path)
            return
        }
        guard request.method != .head, head.status != 304, let expected else { return }
        guard expected <= limit else { throw .tooLarge(request) }
        response?.body.reserveCapacity(Int(min(expected, 1 << 20)))
    }

    func append(_ bytes: UnsafeRawBufferPointer, of request: HTTPRequest) throws(TransportError) {
        received += Int64(bytes.count)
        if let file {
            try file.append(bytes)
            return progress(TransferProgress(received: received, expected: expected))
        }
        guard received <= limit else { throw .tooLarge(request) }
        response?.body.append(contentsOf: bytes)
    }

    /// Returns the complete response and publishes its file.
    func finish(of request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        guard let response else { throw .connectionLost(request) }
        try file?.publish()
        return response
    }

    /// Removes the file of an incomplete response.
    func discard() { file = nil }
}

/// A file that gets its name when it is complete, and is removed otherwise.
///
/// Only its owner can read it. It is not synchronized to the disk.
final class PartialFile {
    private let path: String
    private let temporaryPath: String
    private var descriptor: CInt
    private var isPublished = false

    init(beside path: String) throws(TransportError) {
        self.path = path
        temporaryPath = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36))"
        descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TransportError.fileNotWritten(path, errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if !isPublished { unlink(temporaryPath) }
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, rest.base.baseAddress?.advanced(by: rest.startIndex), rest.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw TransportError.fileNotWritten(path, errno) }
            rest = rest.dropFirst(count)
        }
    }

    func publish() throws(TransportError) {
        let result = close(descriptor)
        descriptor = -1
        guard result == 0, rename(temporaryPath, path) == 0 else {
            throw TransportError.fileNotWritten(path, errno)
        }
        isPublished = true
    }
}

/// A file whose bytes are the body of a request.
final class UploadFile {
    private let path: String
    private let descriptor: CInt
    /// The size when the file was opened, which is sent to the server.
    let size: Int64
    private var sent: Int64 = 0

    /// - Throws: ``TransportError`` for a file that can't be read.
    init(_ path: String) throws(TransportError) {
        self.path = path
        // A pipe without a writer would block here.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .fileUnreadable(path, String(cString: strerror(errno))) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .fileUnreadable(path, "It is not a file")
        }
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// Reads the next bytes; 0 at the end.
    ///
    /// - Throws: ``TransportError`` if the file can't be read, or was truncated.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        let wanted = Int(min(Int64(buffer.count), size - sent))
        guard wanted > 0 else { return 0 }
        var count = Glibc.read(descriptor, buffer.baseAddress, wanted)
        while count < 0, errno == EINTR { count = Glibc.read(descriptor, buffer.baseAddress, wanted) }
        guard count >= 0 else { throw .fileUnreadable(path, String(cString: strerror(errno)), wasSent: true) }
        guard count > 0 else { throw .fileUnreadable(path, "It has become shorter", wasSent: true) }
        sent += Int64(count)
        return count
    }
}
