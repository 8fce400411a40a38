import AtriumKit
import Foundation
import Glibc

/// A file that is there under its name only once it is whole; until then it lies beside it, and goes where it
/// is given up.
///
/// Readable by its owner only. It is not waited for the disk.
final class PartialFile {
    private let path: String
    private let temporaryPath: String
    private var descriptor: CInt
    private var isPublished = false

    /// Makes an empty file beside `path`.
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

    /// Writes behind what is there.
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

    /// Puts the file in its place.
    func publish() throws {
        let result = close(descriptor)
        descriptor = -1
        guard result == 0, rename(temporaryPath, path) == 0 else {
            throw TransportError.fileNotWritten(path, errno)
        }
        isPublished = true
    }
}
