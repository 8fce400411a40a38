import AtriumKit

/// The head of a response, read line by line, with checks that libcurl leaves out (RFC 9112).
struct ResponseHead {
    /// The response of the last status line; its fields are complete if ``isComplete``.
    private(set) var response: HTTPResponse?
    private(set) var isComplete = false
    private(set) var contentLength: Int64?
    private var hasTransferEncoding = false
    private var isOfVersion1 = false
    /// The latest field, which the next line may continue.
    private var latest: (name: String, value: String)?
    /// The bytes of all lines, also of interim responses and trailers.
    private var size = 0

    static let limit = 256 * 1024

    /// A problem with a head: `its status line is not valid`.
    struct Problem: Error {
        let sentence: String

        init(_ sentence: String) { self.sentence = sentence }
    }

    /// Reads the next line, including its end.
    mutating func append(_ line: UnsafeRawBufferPointer) throws(Problem) {
        size += line.count
        guard size <= Self.limit else { throw Problem("its head has more than \(Self.limit / 1024) KiB") }
        // A line without an end was cut off when the connection closed.
        guard line.last == UInt8(ascii: "\n") else { return }
        var bytes = line.dropLast()
        if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
        if isComplete {
            // After the body there are only trailers, which are ignored here.
            guard let interim = response, interim.status < 200 else { return }
            self = ResponseHead(size: size)
        }
        if response == nil {
            response = HTTPResponse(status: try Self.status(bytes))
            isOfVersion1 = bytes.starts(with: "HTTP/1".utf8)
        } else if bytes.isEmpty {
            appendLatest()
            try checkFraming()
            isComplete = true
        } else {
            try appendField(bytes)
        }
    }

    init() {}

    private init(size: Int) { self.size = size }

    var isFinal: Bool { isComplete && (response?.status ?? 0) >= 200 }

    /// True if the body of the response, unless it has none, ends with the connection (RFC 9112, 6.3).
    var endsWithConnection: Bool {
        isOfVersion1 && contentLength == nil && !hasTransferEncoding
            && ![204, 304].contains(response?.status)
    }

    // MARK: - Lines

    private static func status(_ line: Slice<UnsafeRawBufferPointer>) throws(Problem) -> Int {
        let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].starts(with: "HTTP/".utf8), parts[1].count == 3,
            let status = number(parts[1]), (100...599).contains(status)
        else { throw Problem("its status line is not valid") }
        guard status != 101 else { throw Problem("it changes to a protocol that was not asked for") }
        return Int(status)
    }

    private mutating func appendField(_ line: Slice<UnsafeRawBufferPointer>) throws(Problem) {
        guard let first = line.first, !Self.isSpace(first) else { return try continueField(line) }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(Self.isNameCharacter)
        else { throw Problem("a line of its head is not a field") }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        let value = Self.trimmed(line[line.index(after: colon)...])
        if name.utf8.count == 14, name.lowercased() == "content-length" { try appendLength(value) }
        if name.utf8.count == 17, name.lowercased() == "transfer-encoding" {
            try checkTransferEncoding(value)
        }
        appendLatest()
        latest = (name, Self.text(value))
    }

    private mutating func appendLatest() {
        if let latest { response?.fields.append(latest.name, latest.value) }
        latest = nil
    }

    /// A line that begins with a space belongs to the field before it (RFC 9112, 5.2).
    private mutating func continueField(_ line: Slice<UnsafeRawBufferPointer>) throws(Problem) {
        guard let name = latest?.name.lowercased(), !["content-length", "transfer-encoding"].contains(name)
        else { throw Problem("a line of its head is not a field") }
        let more = Self.text(Self.trimmed(line))
        let isFirst = latest?.value.isEmpty ?? true
        latest?.value += isFirst || more.isEmpty ? more : " \(more)"
    }

    // MARK: - Framing

    /// RFC 9112, 6.3: a number, or the same number several times.
    private mutating func appendLength(_ value: Slice<UnsafeRawBufferPointer>) throws(Problem) {
        for item in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let length = Self.number(Self.trimmed(item)) else {
                throw Problem("its Content-Length is not a number")
            }
            guard contentLength == nil || contentLength == length else {
                throw Problem("it has several Content-Lengths")
            }
            contentLength = length
        }
    }

    private mutating func checkTransferEncoding(_ value: Slice<UnsafeRawBufferPointer>) throws(Problem) {
        let coding = String(decoding: value, as: UTF8.self).lowercased()
        guard !hasTransferEncoding, coding == "chunked" else {
            throw Problem("its Transfer-Encoding is not 'chunked'")
        }
        hasTransferEncoding = true
    }

    private func checkFraming() throws(Problem) {
        guard !hasTransferEncoding || contentLength == nil else {
            throw Problem("it has both a Content-Length and a Transfer-Encoding")
        }
    }

    // MARK: - Bytes

    private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int64? {
        guard !bytes.isEmpty, bytes.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(String(decoding: bytes, as: UTF8.self))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
        return bytes
    }

    /// RFC 9110, 5.6.2.
    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        // Digits, letters, and !#$%&'*+-.^_`|~
        case 48...57, 65...90, 97...122, 33, 35...39, 42, 43, 45, 46, 94...96, 124, 126: true
        default: false
        }
    }

    /// A value as UTF-8, otherwise as Latin-1; control characters become spaces (RFC 9110, 5.5).
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        if bytes.allSatisfy({ (32...126).contains($0) }) { return String(decoding: bytes, as: UTF8.self) }
        let clean = bytes.map { ($0 < 32 && $0 != 9) || $0 == 127 ? 32 : $0 }
        if let text = String(validating: clean, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(clean.map { Unicode.Scalar($0) }))
    }
}
