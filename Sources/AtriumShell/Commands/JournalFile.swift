@_spi(Host) internal import AtriumKit
internal import AtriumNavigation
internal import AtriumStorage

/// Reads a journal of navigation that `nav journal` printed with `--json`.
enum JournalFile {
    /// The records in a file: a list of them, or the whole reply of the command.
    ///
    /// - Throws: `StorageError` where the file can't be read, ``CommandError`` where it holds something else.
    static func read(_ path: String) throws -> [NavigationJournal.Record] {
        let bytes = try FileContents.read(path, allowsPipes: true)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw CommandError.noJournal(path) }
        if let records = try? StateCoding.decode([NavigationJournal.Record].self, from: text) {
            return records
        }
        if let reply = try? StateCoding.decode(Reply.self, from: text) { return reply.result.rows }
        throw CommandError.noJournal(path)
    }

    private struct Reply: Decodable {
        let result: Result

        struct Result: Decodable {
            let rows: [NavigationJournal.Record]
        }
    }
}
