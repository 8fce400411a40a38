@_spi(Host) package import AtriumKit
internal import Glibc

/// A value in a file that is replaced as a whole; reads and writes everything a host keeps for the next.
///
/// Nothing is lost to a limit or a transient error. A file is renamed only if it was read completely and is
/// invalid. Any other failure to read it is thrown, and the file stays. So does a link, folder or device in its
/// place. A value too large to be read again is not written.
///
/// The functions are generic and the class is not: for each generic type made at start, the Swift runtime
/// searches all loaded libraries for conformances.
package final class StateFile {
    private let path: String
    private let isDurable: Bool
    private let limit: Int
    private var saved: String?
    private var prepared: Prepared?

    /// A value in a file that has not yet replaced the former one.
    private final class Prepared {
        let text: String
        var file: AtomicFile?

        init(_ text: String, _ file: consuming AtomicFile) {
            self.text = text
            self.file = consume file
        }
    }

    /// Describes a file without touching it.
    ///
    /// A durable value survives a crash of the machine, at the cost of waiting for the disk; every value
    /// survives the end of the process. `limit` is the maximum number of bytes read, and therefore written.
    package init(path: String, isDurable: Bool, limit: Int = FileContents.defaultLimit) {
        self.path = path
        self.isDurable = isDurable
        self.limit = limit
    }

    // MARK: - Reading

    /// Returns the saved value; nil if there is none, or if the file was renamed, which is reported.
    ///
    /// - Throws: ``StorageError`` with code `stateUnreadable`; nothing was changed.
    package func load<Value: Decodable>(
        _ type: Value.Type = Value.self, report: (any ExplainedError) -> Void
    ) throws(StorageError) -> Value? {
        guard let text = try text() else {
            saved = nil
            return nil
        }
        let value: Value
        do throws(StorageError) { value = try decode(type, text) } catch {
            report(try StorageError.setAside(path, error))
            return nil
        }
        saved = text
        return value
    }

    /// Returns the value in the file without changing anything; nil if there is none.
    ///
    /// - Throws: ``StorageError`` with code `stateUnreadable` or `stateDamaged`.
    package func peek<Value: Decodable>(_ type: Value.Type = Value.self) throws(StorageError) -> Value? {
        guard let text = try text() else { return nil }
        return try decode(type, text)
    }

    private func text() throws(StorageError) -> String? {
        try Self.read(path, limit: limit).map { String(decoding: $0, as: UTF8.self) }
    }

    // Takes the type: inferred, it would be the caller's optional, and `null` would be a valid value.
    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws(StorageError) -> Value {
        do { return try StateCoding.decode(type, from: text) } catch {
            throw .stateDamaged(path, error)
        }
    }

    /// Returns the bytes of a state file; nil if there is none.
    ///
    /// - Throws: ``StorageError`` with code `stateUnreadable`; nothing was changed.
    package static func read(
        _ path: String, limit: Int = FileContents.defaultLimit
    ) throws(StorageError) -> [UInt8]? {
        do {
            return try FileContents.readIfPresent(path, limit: limit, followsLinks: false)
        } catch {
            throw .stateUnreadable(path, error)
        }
    }

    // MARK: - Writing

    /// Saves a value if it has changed; nil removes the file.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - reduced: Returns a smaller version of a value that is too large to be read again: by at least the
    ///     excess bytes, with parts restored from the former value; nil if nothing can be left out.
    /// - Throws: ``StorageError`` with code `stateTooLarge`, or an error of writing; the former value stays.
    package func save<Value: Codable>(
        _ value: Value?,
        reduced: (_ value: Value, _ former: Value?, _ excess: Int) -> Value? = { _, _, _ in nil }
    ) throws {
        guard var value else { return try remove() }
        var text = try StateCoding.encode(value)
        while text.utf8.count > limit {
            let former = saved.flatMap { try? StateCoding.decode(Value.self, from: $0) }
            guard let smaller = reduced(value, former, text.utf8.count - limit) else {
                throw StorageError.stateTooLarge(path, limit: limit)
            }
            value = smaller
            text = try StateCoding.encode(value)
        }
        let prepared = prepared
        self.prepared = nil
        guard text != saved else { return }
        if let prepared, prepared.text == text, let file = prepared.file.take() {
            try file.finish(synchronizing: isDurable)
        } else {
            try AtomicFile.write(Array(text.utf8), to: path, synchronizing: isDurable)
        }
        saved = text
    }

    /// Writes a value beside the file, so that saving it later needs no space.
    ///
    /// - Throws: ``FileError``, or ``StorageError`` with code `stateTooLarge`; nothing has changed.
    package func prepare<Value: Codable>(_ value: Value) throws {
        prepared = nil
        let text = try StateCoding.encode(value)
        guard text != saved else { return }
        guard text.utf8.count <= limit else { throw StorageError.stateTooLarge(path, limit: limit) }
        let file = try AtomicFile(ofOwner: path)
        try file.write(Array(text.utf8))
        prepared = Prepared(text, file)
    }

    /// Removes a prepared value.
    package func discardPrepared() { prepared = nil }

    /// Removes the file unless another process has changed it.
    ///
    /// - Throws: ``StorageError`` if the file can't be checked or removed; it stays then.
    package func remove() throws(StorageError) {
        guard let saved else { return }
        if let bytes = try FileContents.readIfPresent(path, limit: limit, followsLinks: false),
            bytes.elementsEqual(saved.utf8), unlink(path) != 0, errno != ENOENT
        {
            throw .unwritable(path, .current)
        }
        self.saved = nil
    }
}
