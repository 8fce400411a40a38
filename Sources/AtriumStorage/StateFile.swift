@_spi(Host) package import AtriumKit
internal import Glibc

/// A small value that is kept in a file between processes, replaced as a whole.
///
/// Its functions are generic and the class is not: for each generic type that the host makes while it starts,
/// the Swift runtime searches all loaded libraries for the conformances.
package final class StateFile {
    private let path: String
    private let isDurable: Bool
    private var kept: String?

    /// Describes the file; touches nothing.
    ///
    /// - Parameters:
    ///   - path: Where the value is kept.
    ///   - isDurable: Whether a value that was saved survives a failure of the machine, at the price of waiting
    ///     for the disk. What is saved survives the end of the process in any case.
    package init(path: String, isDurable: Bool) {
        self.path = path
        self.isDurable = isDurable
    }

    /// The value that was kept; nil where there is none.
    ///
    /// A file that can't be read as one is moved aside, so that nothing of it is lost, and reported. What is
    /// no regular file, or can't be read at all, is reported and stays.
    package func load<Value: Decodable>(
        _ type: Value.Type = Value.self, report: (any ExplainedError) -> Void
    ) -> Value? {
        guard access(path, F_OK) == 0 else { return nil }
        do {
            let text = String(decoding: try FileContents.read(path), as: UTF8.self)
            let value = try StateCoding.decode(Value.self, from: text)
            kept = text
            return value
        } catch let error as any ExplainedError {
            report(error)
            return nil
        } catch {
            let aside = path + ".damaged"
            let moved = rename(path, aside) == 0
            report(StateFileError(path: path, aside: moved ? aside : nil))
            return nil
        }
    }

    /// Keeps `value`; nil removes the file as ``remove()`` does.
    ///
    /// Writes nothing where the value is the one that is kept. What another process has kept meanwhile is
    /// replaced.
    package func save<Value: Encodable>(_ value: Value?) throws {
        guard let value else { return remove() }
        let text = try StateCoding.encode(value)
        guard text != kept else { return }
        try AtomicFile.write(Array(text.utf8), to: path, synchronizing: isDurable)
        kept = text
    }

    /// Removes the file if it still holds what this object kept last, not what another process has kept since.
    package func remove() {
        if holdsKept() { unlink(path) }
        kept = nil
    }

    private func holdsKept() -> Bool {
        guard let kept, let bytes = try? FileContents.read(path) else { return false }
        return bytes.elementsEqual(kept.utf8)
    }
}

/// A file of kept state is damaged.
struct StateFileError: ExplainedError {
    let code: ErrorCode = "stateDamaged"
    let message: String
    let hint: String?

    init(path: String, aside: String?) {
        message = "'\(path)' is damaged, so what it kept is not there."
        hint = aside.map { "It was moved to '\($0)'." } ?? "Remove it."
    }
}
