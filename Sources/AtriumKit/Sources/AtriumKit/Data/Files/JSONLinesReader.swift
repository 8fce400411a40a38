internal import FoundationEssentials

/// A reader of files with one JSON value a line, in memory that does not grow with them; skips empty lines.
public struct JSONLinesReader: ~Copyable {
    private var bytes: FileBytes
    private var isEnded = false
    private let decoder = JSONDecoder()

    /// Opens a file in UTF-8; throws ``FileError``.
    public init(_ path: String) throws(FileError) {
        var bytes = try FileBytes(path)
        try bytes.skipByteOrderMark()
        self.bytes = bytes
    }

    /// Returns the value of the next line, with its number from 1; nil at the end; throws ``FileError``, or
    /// ``RowError``, after which the next call continues with the next line.
    public mutating func next<Row: Decodable>(_ type: Row.Type) throws -> (line: Int, row: Row)? {
        while let (line, text) = try takeLine() {
            if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            do {
                guard !Self.hasTrailingComma(text) else {
                    throw DecodingError.dataCorrupted(
                        .init(codingPath: [], debugDescription: "trailing comma"))
                }
                return (line, try decoder.decode(type, from: Data(text)))
            } catch DecodingError.dataCorrupted {
                throw RowError(ValidationFinding("The line is not valid JSON.", line: line))
            } catch DecodingError.typeMismatch(_, let context) where context.codingPath.isEmpty {
                throw RowError(ValidationFinding("An object is expected.", line: line))
            } catch {
                throw RowError(
                    ValidationFinding("The line lacks a member that is expected.", line: line))
            }
        }
        return nil
    }

    /// True if there is a comma before a closing bracket, which JSONDecoder accepts and RFC 8259 does not.
    private static func hasTrailingComma(_ text: [UInt8]) -> Bool {
        var (isInString, isEscaped, last) = (false, false, UInt8(ascii: " "))
        for byte in text {
            if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
            isEscaped = isInString && byte == UInt8(ascii: "\\") && !isEscaped
            if isInString || [0x20, 0x09, 0x0D].contains(byte) { continue }
            let isClosing = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
            if isClosing, last == UInt8(ascii: ",") { return true }
            last = byte
        }
        return false
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
