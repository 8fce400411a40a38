@_spi(Host) package import AtriumKit
internal import Glibc

/// A value in a file that is replaced as a whole.
///
/// The functions are generic and the class is not: for each generic type made at start, the Swift runtime searches
/// all loaded libraries for conformances.
package final class StateFile {
    private let path: String
    private let isDurable: Bool
    private var saved: String?

    /// A durable value survives a crash of the machine, which means waiting for the disk; every value survives the
    /// end of the process.
    package init(path: String, isDurable: Bool) {
        self.path = path
        self.isDurable = isDurable
    }

    /// The saved value, if there is one.
    ///
    /// What can't be loaded is renamed and reported: a damaged file, and a link, a folder or a pipe in its place.
    package func load<Value: Decodable>(
        _ type: Value.Type = Value.self, report: (any ExplainedError) -> Void
    ) -> Value? {
        do {
            guard let bytes = try FileContents.readIfPresent(path, followsLinks: false) else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            let value = try StateCoding.decode(Value.self, from: text)
            saved = text
            return value
        } catch {
            report(StorageError.renamed(path, error as? StorageError, copy: DamagedFile.rename(path)))
            return nil
        }
    }

    /// Saves a value if it has changed; nil removes the file.
    package func save<Value: Encodable>(_ value: Value?) throws {
        guard let value else { return remove() }
        let text = try StateCoding.encode(value)
        guard text != saved else { return }
        try AtomicFile.write(Array(text.utf8), to: path, synchronizing: isDurable)
        saved = text
    }

    /// Removes the file unless another process has changed it.
    package func remove() {
        if let saved, let bytes = try? FileContents.read(path), bytes.elementsEqual(saved.utf8) {
            unlink(path)
        }
        saved = nil
    }
}
