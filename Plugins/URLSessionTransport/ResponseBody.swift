import AtriumKit
import Foundation
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
    /// The Content-Length, if the server sent one.
    private var expected: Int64?

    var hasBegun: Bool { response != nil }

    init(limit: Int, _ path: String?, _ progress: @escaping @Sendable (TransferProgress) -> Void) {
        self.limit = limit
        self.path = path
        self.progress = progress
    }

    /// - Throws: ``TransportError`` if the body is too large, or its file can't be made.
    func begin(_ head: HTTPResponse, _ length: Int64, of request: HTTPRequest) throws {
        response = head
        expected = length < 0 ? nil : length
        if let path, (200..<300).contains(head.status) {
            file = try PartialFile(beside: path)
            return
        }
        guard request.method != .head, let expected else { return }
        guard expected <= limit else { throw TransportError.tooLarge(request) }
        response?.body.reserveCapacity(Int(min(expected, 1 << 20)))
    }

    func append(_ data: Data, of request: HTTPRequest) throws {
        received += Int64(data.count)
        if let file {
            try file.append(data)
            return progress(TransferProgress(received: received, expected: expected))
        }
        guard received <= limit else { throw TransportError.tooLarge(request) }
        response?.body.append(contentsOf: data)
    }

    /// Returns the complete response and publishes its file.
    func finish(of request: HTTPRequest) throws -> HTTPResponse {
        guard let response else {
            throw TransportError(.invalidResponse, "\(request.shown) failed: the response has no head.")
        }
        try file?.publish()
        return response
    }
}

/// A file that gets its name when it is complete, and is removed otherwise.
///
/// Only its owner can read it. It is not synchronized to the disk.
final class PartialFile {
    private let path: String
    private let temporaryPath: String
    private var descriptor: CInt
    private var isPublished = false

    init(beside path: String) throws {
        self.path = path
        temporaryPath = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36))"
        descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TransportError.fileNotWritten(path, errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if !isPublished { unlink(temporaryPath) }
    }

    func append(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = write(
                    descriptor, rest.base.baseAddress?.advanced(by: rest.startIndex), rest.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw TransportError.fileNotWritten(path, errno) }
                rest = rest.dropFirst(count)
            }
        }
    }

    func publish() throws {
        let result = close(descriptor)
        descriptor = -1
        guard result == 0, rename(temporaryPath, path) == 0 else {
            throw TransportError.fileNotWritten(path, errno)
        }
        isPublished = true
    }
}
