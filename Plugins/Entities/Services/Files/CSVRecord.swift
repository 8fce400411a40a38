/// One record of comma-separated values: its fields without quotes, one behind the other.
struct CSVRecord {
    /// Where a field stands.
    struct Field {
        /// The line of its first character, from 1.
        let line: Int
        /// Its first character in that line, from 1.
        let column: Int
        /// Where its bytes end.
        fileprivate(set) var end: Int
    }

    private(set) var fields: [Field] = []
    private var bytes: [UInt8] = []

    /// How many bytes the fields have.
    var size: Int { bytes.count }

    /// The line on which the record begins.
    var line: Int { fields.first?.line ?? 1 }

    /// The text of the field at `index`; nil where that is not UTF-8.
    func text(_ index: Int) -> String? {
        let start = index == 0 ? 0 : fields[index - 1].end
        return String(validating: bytes[start..<fields[index].end], as: UTF8.self)
    }

    mutating func removeAll() {
        fields.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Begins a field behind those that are there.
    mutating func beginField(line: Int, column: Int) {
        fields.append(Field(line: line, column: column, end: bytes.count))
    }

    /// Adds a byte to the field that was begun last.
    mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Ends the field that was begun last.
    mutating func endField() {
        fields[fields.count - 1].end = bytes.count
    }
}
