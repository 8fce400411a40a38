/// A writer of rows into an ``AtomicFile``, as comma-separated values (RFC 4180) or as lines of JSON.
public struct RowFileWriter: ~Copyable {
    private let file: AtomicFile
    private var buffer: [UInt8] = []
    private static let capacity = 1 << 16

    /// Begins a file; links are followed, and throws ``FileError`` if it exists and may not be replaced.
    public init(_ path: String, replaces: Bool = false) throws(FileError) {
        file = try AtomicFile(path, replaces: replaces)
        buffer.reserveCapacity(Self.capacity + 4096)
    }

    /// Appends a record, with quotes where they are needed.
    public mutating func write(csv fields: [String]) throws(FileError) {
        for (index, field) in fields.enumerated() {
            if index > 0 { buffer.append(UInt8(ascii: ",")) }
            append(field)
        }
        buffer += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        try flush(above: Self.capacity)
    }

    /// Appends a value on its own line.
    public mutating func write(json value: JSONValue) throws(FileError) {
        buffer += value.serialized.utf8
        buffer.append(UInt8(ascii: "\n"))
        try flush(above: Self.capacity)
    }

    /// Gives the file its name; it then survives a power failure.
    public consuming func finish() throws(FileError) {
        try flush(above: 1)
        try file.finish()
    }

    private mutating func flush(above count: Int) throws(FileError) {
        guard buffer.count >= count else { return }
        try file.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    private mutating func append(_ field: String) {
        let quote = UInt8(ascii: "\"")
        let needsQuotes = field.utf8.contains { byte in
            byte == quote || byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D
        }
        guard needsQuotes else {
            buffer += field.utf8
            return
        }
        buffer.append(quote)
        for byte in field.utf8 {
            if byte == quote { buffer.append(quote) }
            buffer.append(byte)
        }
        buffer.append(quote)
    }
}
