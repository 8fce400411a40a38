internal import AtriumKit
internal import Glibc

/// A file that is put in its place once it was found to be what was asked for; until then it lies beside it.
struct StagedFile: Sendable {
    /// Where the file belongs.
    let path: String
    /// Where it lies first: in the same folder, so that putting it in its place is one step.
    let stagedPath: String

    /// - Parameters:
    ///   - path: Where the file belongs.
    ///   - name: What no other file is called.
    init(for path: String, name: String) {
        self.path = path
        stagedPath = "\(path).\(name)"
    }

    /// Does what may fail with an error about the file, which is then called by the name it was to have.
    func naming<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as TransportError {
            throw TransportError(
                error.code, error.message.replacing(stagedPath, with: path), hint: error.hint,
                neverSent: error.neverSent)
        }
    }

    /// What was written so far; nil where that is more than `limit` bytes, or can't be read.
    func content(limit: Int) -> [UInt8]? {
        let descriptor = open(stagedPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size <= limit else { return nil }
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            while count < buffer.count {
                let step = read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                if step < 0, errno == EINTR { continue }
                isWhole = step > 0
                guard isWhole else { return }
                count += step
            }
        }
        return isWhole ? bytes : nil
    }

    /// Puts the file in its place.
    ///
    /// - Throws: ``APIError`` where that can't be done; what was there before stays.
    func publish() throws {
        guard rename(stagedPath, path) == 0 else { throw APIErrors.fileNotWritten(path, errno) }
    }

    /// Removes what was not put in its place.
    func discard() {
        unlink(stagedPath)
    }
}
