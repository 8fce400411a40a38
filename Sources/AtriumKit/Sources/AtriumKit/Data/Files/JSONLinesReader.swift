internal import FoundationEssentials

/// Reads a file with one JSON value a line, in memory that does not grow with it; skips empty lines.
public struct JSONLinesReader: ~Copyable {
    private var bytes: FileBytes
    private var isEnded = false
    private let decoder = JSONDecoder()

    /// Opens a file in UTF-8.
    ///
    /// - Throws: ``FileError``.
    public init(_ path: String) throws(FileError) {
        var bytes = try FileBytes(path)
        try bytes.skipByteOrderMark()
        self.bytes = bytes
    }

    /// The value of the next line, with the line's number from 1; nil at the end.
    ///
    /// - Throws: ``RowError`` for a line that is not a JSON value of the type; the next call continues with the
    ///   line after it. ``FileError``.
    public mutating func next<Row: Decodable>(_ type: Row.Type) throws -> (line: Int, row: Row)? {
        while let (line, text) = try takeLine() {
            if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            do {
                return (line, try decoder.decode(type, from: Data(text)))
            } catch DecodingError.dataCorrupted {
                throw RowError(ValidationFinding("The line is not valid JSON.", line: line))
            } catch DecodingError.typeMismatch(_, let context) where context.codingPath.isEmpty {
                throw RowError(ValidationFinding("An object is expected.", line: line))
            } catch {
                throw RowError(
                    ValidationFinding("The line has not the members that are expected.", line: line))
            }
        }
        return nil
    }

    private mutating func takeLine() throws -> (line: Int, text: [UInt8])? {
        guard !isEnded, try bytes.peek() != nil else { return nil }
        let line = bytes.line
        var text: [UInt8] = []
        while let byte = try bytes.next(), byte != UInt8(ascii: "\n") {
            guard text.count < CSVReader.maximumBytes else {
                isEnded = true
                throw RowError.tooLong(line: line)
            }
            text.append(byte)
        }
        return (line, text)
    }
}
