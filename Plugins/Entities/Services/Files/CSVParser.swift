/// Reads records of comma-separated values (RFC 4180).
///
/// Lines end with CRLF or LF. A field in quotes may contain commas, line breaks, and quotes that are doubled;
/// one without may contain none of them. Lines without anything are passed over.
enum CSVParser {
    /// Reads the next record.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``RowMistake``; the next call goes on with the line behind it. ``EntityFileError``.
    static func read(_ bytes: inout FileBytes, into record: inout CSVRecord) throws -> Bool {
        record.removeAll()
        try skipBlankLines(&bytes)
        guard try bytes.peek() != nil else { return false }
        do {
            while try readField(&bytes, into: &record) == .comma {}
        } catch let mistake as RowMistake where !mistake.isLast {
            try bytes.skipLine()
            throw mistake
        }
        return true
    }

    /// What ends a field.
    private enum FieldEnd {
        case comma, record
    }

    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private static func skipBlankLines(_ bytes: inout FileBytes) throws {
        while let byte = try bytes.peek() {
            switch byte {
            case lineFeed: _ = try bytes.next()
            case carriageReturn: try takeLineEnd(&bytes)
            default: return
            }
        }
    }

    private static func readField(_ bytes: inout FileBytes, into record: inout CSVRecord) throws -> FieldEnd {
        record.beginField(line: bytes.line, column: bytes.column)
        defer { record.endField() }
        guard try bytes.peek() == quote else { return try readPlain(&bytes, into: &record) }
        try readQuoted(&bytes, into: &record)
        guard let end = try takeEnd(&bytes) else {
            throw mistake(at: bytes, "Only a comma or the end of the line may follow a closing quote.")
        }
        return end
    }

    private static func readPlain(_ bytes: inout FileBytes, into record: inout CSVRecord) throws -> FieldEnd {
        while true {
            if let end = try takeEnd(&bytes) { return end }
            guard let byte = try bytes.peek(), byte != quote else {
                throw mistake(at: bytes, "A quote stands in a field that does not begin with one.")
            }
            try append(byte, to: &record)
            _ = try bytes.next()
        }
    }

    private static func readQuoted(_ bytes: inout FileBytes, into record: inout CSVRecord) throws {
        let start = (line: bytes.line, column: bytes.column)
        _ = try bytes.next()
        while let byte = try bytes.next() {
            if byte == quote {
                guard try bytes.peek() == quote else { return }
                _ = try bytes.next()
            }
            try append(byte, to: &record)
        }
        throw RowMistake(
            finding: EntityFileFinding(
                line: start.line, column: start.column, message: "The quote is never closed."),
            isLast: true)
    }

    /// Takes what ends a field; nil where something else comes next.
    private static func takeEnd(_ bytes: inout FileBytes) throws -> FieldEnd? {
        switch try bytes.peek() {
        case nil: return .record
        case comma:
            _ = try bytes.next()
            return .comma
        case lineFeed:
            _ = try bytes.next()
            return .record
        case carriageReturn:
            try takeLineEnd(&bytes)
            return .record
        default: return nil
        }
    }

    /// Takes CRLF; CR at the end of the file counts too.
    private static func takeLineEnd(_ bytes: inout FileBytes) throws {
        let place = (line: bytes.line, column: bytes.column)
        _ = try bytes.next()
        switch try bytes.peek() {
        case lineFeed: _ = try bytes.next()
        case nil: break
        default:
            throw RowMistake(
                finding: EntityFileFinding(
                    line: place.line, column: place.column,
                    message: "A carriage return stands alone: lines end with CRLF or LF."))
        }
    }

    private static func append(_ byte: UInt8, to record: inout CSVRecord) throws {
        guard record.size < RowMistake.maximumBytes else { throw RowMistake.tooLong(line: record.line) }
        record.append(byte)
    }

    private static func mistake(at bytes: borrowing FileBytes, _ message: String) -> RowMistake {
        RowMistake(finding: EntityFileFinding(line: bytes.line, column: bytes.column, message: message))
    }
}
