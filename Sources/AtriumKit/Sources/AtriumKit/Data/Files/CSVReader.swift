/// A reader of comma-separated values (RFC 4180), record by record, in memory that does not grow with the
/// file.
///
/// Lines end with CRLF or LF. Only a quoted field may contain separators, line breaks and doubled quotes. As
/// spreadsheets write it, a first line such as `sep=;` names the separator; without one, it is the semicolon or
/// the tab if the first line has that one and no comma.
public struct CSVReader: ~Copyable {
    private var bytes: FileBytes
    private var record = CSVRecord()
    private var isEnded = false
    private let separator: UInt8

    /// The most bytes of a record or a line.
    static let maximumBytes = 4 << 20

    /// Opens a file in UTF-8; throws ``FileError``.
    public init(_ path: String) throws(FileError) {
        var bytes = try FileBytes(path)
        try bytes.skipByteOrderMark()
        let separator = Self.separator(in: bytes.lineAhead)
        if Self.namesSeparator(bytes.lineAhead) { try bytes.skipLine() }
        self.bytes = bytes
        self.separator = separator
    }

    private static func namesSeparator(_ line: ArraySlice<UInt8>) -> Bool {
        line.count == 5 && line.starts(with: "sep=".utf8)
    }

    private static func separator(in line: ArraySlice<UInt8>) -> UInt8 {
        if namesSeparator(line) { return line[line.endIndex - 1] }
        var (isQuoted, counts) = (false, [UInt8: Int]())
        for byte in line {
            if byte == quote { isQuoted.toggle() }
            if !isQuoted { counts[byte, default: 0] += 1 }
        }
        let found = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")].filter { counts[$0] != nil }
        return found.count == 1 ? found[0] : UInt8(ascii: ",")
    }

    /// Returns the next record; nil at the end; throws ``FileError``, or ``RowError``, after which the next
    /// call continues with the next line.
    public mutating func next() throws -> CSVRecord? {
        guard !isEnded else { return nil }
        record.fields.removeAll(keepingCapacity: true)
        record.bytes.removeAll(keepingCapacity: true)
        try skipBlankLines()
        guard try bytes.peek() != nil else { return nil }
        do {
            while try readField() == .separator {}
        } catch let error as RowError {
            isEnded = error.isLast
            if !isEnded { try bytes.skipLine() }
            throw error
        }
        return record
    }

    private enum FieldEnd {
        case separator, record
    }

    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private mutating func skipBlankLines() throws {
        while let byte = try bytes.peek() {
            switch byte {
            case Self.lineFeed: _ = try bytes.next()
            case Self.carriageReturn: try takeLineEnd()
            default: return
            }
        }
    }

    private mutating func readField() throws -> FieldEnd {
        record.fields.append(
            CSVRecord.Field(line: bytes.line, column: bytes.column, end: record.bytes.count))
        defer { record.fields[record.fields.count - 1].end = record.bytes.count }
        guard try bytes.peek() == Self.quote else { return try readPlain() }
        try readQuoted()
        guard let end = try takeEnd() else {
            throw error("Only a separator or the end of the line may follow a closing quote.")
        }
        return end
    }

    private mutating func readPlain() throws -> FieldEnd {
        while true {
            if let end = try takeEnd() { return end }
            guard let byte = try bytes.peek(), byte != Self.quote else {
                throw error("A field that does not begin with a quote contains one.")
            }
            try append(byte)
            _ = try bytes.next()
        }
    }

    private mutating func readQuoted() throws {
        let start = (line: bytes.line, column: bytes.column)
        _ = try bytes.next()
        while let byte = try bytes.next() {
            if byte == Self.quote {
                guard try bytes.peek() == Self.quote else { return }
                _ = try bytes.next()
            }
            try append(byte)
        }
        throw RowError(
            ValidationFinding("The quote is never closed.", line: start.line, column: start.column),
            isLast: true)
    }

    /// Consumes the end of a field; nil if something else comes next.
    private mutating func takeEnd() throws -> FieldEnd? {
        switch try bytes.peek() {
        case nil: return .record
        case separator:
            _ = try bytes.next()
            return .separator
        case Self.lineFeed:
            _ = try bytes.next()
            return .record
        case Self.carriageReturn:
            try takeLineEnd()
            return .record
        default: return nil
        }
    }

    /// Consumes CRLF; CR at the end of the file counts too.
    private mutating func takeLineEnd() throws {
        let start = (line: bytes.line, column: bytes.column)
        _ = try bytes.next()
        switch try bytes.peek() {
        case Self.lineFeed: _ = try bytes.next()
        case nil: break
        default:
            throw RowError(
                ValidationFinding(
                    "A carriage return has no line feed after it: lines end with CRLF or LF.",
                    line: start.line,
                    column: start.column))
        }
    }

    private mutating func append(_ byte: UInt8) throws {
        guard record.bytes.count < Self.maximumBytes else { throw RowError.tooLong(line: record.line) }
        record.bytes.append(byte)
    }

    private func error(_ message: String) -> RowError {
        RowError(ValidationFinding(message, line: bytes.line, column: bytes.column))
    }
}

/// One record of comma-separated values.
public struct CSVRecord: Sendable {
    /// The position of a field.
    public struct Field: Sendable {
        /// The line of its first character, from 1.
        public let line: Int
        /// Its first character in that line, from 1.
        public let column: Int
        fileprivate var end: Int
    }

    /// The positions of the fields; read their texts with ``text(_:)``.
    public fileprivate(set) var fields: [Field] = []
    /// The fields without quotes, one after the other.
    fileprivate var bytes: [UInt8] = []

    /// The line on which the record begins.
    public var line: Int { fields.first?.line ?? 1 }

    /// Returns the text of the field at `index`; nil if it is not UTF-8.
    public func text(_ index: Int) -> String? {
        let start = index == 0 ? 0 : fields[index - 1].end
        return String(validating: bytes[start..<fields[index].end], as: UTF8.self)
    }
}

/// The reason that one row of a file can't be read.
public struct RowError: Error, Hashable {
    /// The problem, with the line and the column in the file.
    public let finding: ValidationFinding
    /// True if the rows after it can't be read either.
    public let isLast: Bool

    init(_ finding: ValidationFinding, isLast: Bool = false) {
        self.finding = finding
        self.isLast = isLast
    }

    static func tooLong(line: Int) -> RowError {
        RowError(
            ValidationFinding("The row has more than 4 MiB; nothing after it was read.", line: line),
            isLast: true)
    }
}
