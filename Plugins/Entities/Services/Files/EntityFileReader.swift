import AtriumKit

/// Reads drafts of entities from a file, row by row, in memory that does not grow with the file.
///
/// A CSV file names its columns in the first line and a line of JSON its members: `name`, and where they are
/// wanted `category` and `notes`. What entities have besides (`id`, `createdAt`, `updatedAt`) is passed over;
/// any other name is a mistake. CRLF and CR within a text become LF.
struct EntityFileReader: ~Copyable {
    /// A row as it stands in the file.
    enum Row {
        case draft(EntityDraft, line: Int)
        /// At least one finding.
        case wrong([EntityFileFinding])
    }

    private let file: EntityFile
    private var bytes: FileBytes
    private var record: CSVRecord
    private let columns: [EntityColumn]
    private var isEnded = false

    /// Opens a file and reads its header, where it has one.
    ///
    /// - Throws: ``EntityFileError``.
    init(_ file: EntityFile) throws {
        var bytes = try FileBytes(file.path)
        try bytes.skipByteOrderMark()
        var record = CSVRecord()
        columns = file.format == .csv ? try Self.header(&bytes, &record, in: file) : []
        self.file = file
        self.record = record
        self.bytes = bytes
    }

    /// The next row; nil at the end.
    mutating func next() throws -> Row? {
        guard !isEnded else { return nil }
        do {
            switch file.format {
            case .csv: return try nextRecord()
            case .jsonLines: return try nextLine()
            }
        } catch let mistake as RowMistake {
            isEnded = mistake.isLast
            return .wrong([mistake.finding])
        }
    }

    /// The rows that keep an entity's rules as drafts, the others as findings.
    mutating func nextValid() throws -> Row? {
        guard let row = try next() else { return nil }
        guard case .draft(let draft, let line) = row else { return row }
        // architecture: allow service-logic, because a file is checked as it is read: all of it or nothing
        let findings = draft.validate()
        guard !findings.isEmpty else { return row }
        return .wrong(
            findings.map { EntityFileFinding(line: line, field: $0.field, message: $0.message) })
    }

    // MARK: - CSV

    private static func header(
        _ bytes: inout FileBytes, _ record: inout CSVRecord, in file: EntityFile
    ) throws -> [EntityColumn] {
        do {
            guard try CSVParser.read(&bytes, into: &record) else {
                let message = "The file is empty; its first line names the columns: name,category,notes."
                throw RowMistake(finding: EntityFileFinding(line: 1, message: message))
            }
            let names = record.fields.indices.map { record.text($0)?.trimmed }
            return try EntityColumn.columns(names, record)
        } catch let mistake as RowMistake {
            throw EntityFileError.invalid(file.path, [mistake.finding])
        }
    }

    private mutating func nextRecord() throws -> Row? {
        guard try CSVParser.read(&bytes, into: &record) else { return nil }
        guard record.fields.count == columns.count else {
            return .wrong([
                EntityFileFinding(
                    line: record.line,
                    message: "The row has \(record.fields.count) fields, but the header \(columns.count).")
            ])
        }
        var texts = EntityTexts()
        for (index, column) in columns.enumerated() {
            guard let text = record.text(index) else {
                let place = record.fields[index]
                return .wrong([
                    EntityFileFinding(
                        line: place.line, column: place.column, field: column.field?.rawValue,
                        message: "The text is not UTF-8.")
                ])
            }
            if let field = column.field { texts[field] = text }
        }
        return .draft(texts.draft, line: record.line)
    }

    // MARK: - JSON lines

    private mutating func nextLine() throws -> Row? {
        while let (line, text) = try takeLine() {
            if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            return EntityLine.read(text, line: line)
        }
        return nil
    }

    private mutating func takeLine() throws -> (line: Int, text: [UInt8])? {
        guard try bytes.peek() != nil else { return nil }
        let line = bytes.line
        var text: [UInt8] = []
        while let byte = try bytes.next(), byte != UInt8(ascii: "\n") {
            guard text.count < RowMistake.maximumBytes else { throw RowMistake.tooLong(line: line) }
            text.append(byte)
        }
        return (line, text)
    }
}
