import AtriumKit

/// Writes entities into a file that is there only once it is whole; see ``NewFile``.
struct EntityFileWriter: ~Copyable {
    private let format: EntityFile.Format
    private let file: NewFile
    private var buffer: [UInt8] = []
    private static let room = 1 << 16

    /// Begins a file.
    ///
    /// - Throws: ``EntityFileError`` for what is there and is not to be replaced or is no regular file, and
    ///   for a folder that can't be written to.
    init(_ file: EntityFile) throws(EntityFileError) {
        self.file = try NewFile(file.path, replaces: file.isReplaced)
        format = file.format
        buffer.reserveCapacity(Self.room + 4096)
        if format == .csv { buffer += "name,category,notes\r\n".utf8 }
    }

    /// Adds a row.
    mutating func write(name: String, category: String?, notes: String?) throws(EntityFileError) {
        switch format {
        case .csv: buffer.append(csv: [name, category ?? "", notes ?? ""])
        case .jsonLines: buffer.append(json: name, category, notes)
        }
        guard buffer.count >= Self.room else { return }
        try file.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Adds a draft as a row.
    mutating func write(_ draft: EntityDraft) throws(EntityFileError) {
        try write(name: draft.name, category: draft.category, notes: draft.notes)
    }

    /// Puts the file in its place; when this returns it survives the end of the machine.
    consuming func finish() throws(EntityFileError) {
        try file.write(buffer)
        try file.finish()
    }
}

extension [UInt8] {
    /// Adds a record as RFC 4180 writes it, in quotes where it has to be.
    fileprivate mutating func append(csv fields: [String]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(csvField: field)
        }
        self += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    }

    private mutating func append(csvField field: String) {
        let quote = UInt8(ascii: "\"")
        let needsQuotes = field.utf8.contains { byte in
            byte == quote || byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D
        }
        guard needsQuotes else {
            self += field.utf8
            return
        }
        append(quote)
        for byte in field.utf8 {
            if byte == quote { append(quote) }
            append(byte)
        }
        append(quote)
    }

    /// Adds a line of JSON; members without a text are left out.
    fileprivate mutating func append(json name: String, _ category: String?, _ notes: String?) {
        var object: JSONObject = ["name": .string(name)]
        if let category { object["category"] = .string(category) }
        if let notes { object["notes"] = .string(notes) }
        self += JSONValue.object(object).serialized.utf8
        append(UInt8(ascii: "\n"))
    }
}
