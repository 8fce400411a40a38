internal import AtriumKit
internal import FoundationEssentials

/// The fields of a `multipart/form-data` body (RFC 7578), without the boundary, which is another one in each request.
struct RecordedForm: Sendable {
    /// A field, or a file.
    struct Field: Sendable {
        var name: String
        var value: RecordedExchange.Body
        /// Nil for a field.
        var fileName: String?
        var contentType: String?
    }

    var fields: [Field]

    /// Reads a body of this content type; nil for another type, and for a body that breaks the format.
    init?(_ bytes: [UInt8], contentType: String) {
        guard let type = FieldValue(contentType), type.first == "multipart/form-data",
            let boundary = type.parameters["boundary"], !boundary.isEmpty
        else { return nil }
        let (delimiter, lineEnd) = (Array("\r\n--\(boundary)".utf8), Array("\r\n".utf8))
        // The first boundary may begin the body.
        let text = lineEnd + bytes
        guard text.starts(with: delimiter) else { return nil }
        var (rest, fields) = (text.dropFirst(delimiter.count), [Field]())
        while !rest.starts(with: "--".utf8) {
            guard rest.starts(with: lineEnd), let end = rest.start(of: delimiter),
                let field = Field(rest[..<end])
            else { return nil }
            fields.append(field)
            rest = rest[(end + delimiter.count)...]
        }
        guard [0, 2].contains(rest.count - 2), rest.dropFirst(2).elementsEqual(lineEnd.prefix(rest.count - 2))
        else { return nil }
        self.fields = fields
    }
}

extension RecordedForm.Field {
    /// Reads a part: a line end, lines of fields, an empty line, the value.
    fileprivate init?(_ part: ArraySlice<UInt8>) {
        let emptyLine = Array("\r\n\r\n".utf8)
        guard let end = part.start(of: emptyLine), let head = String(validating: part[..<end], as: UTF8.self)
        else { return nil }
        var disposition: FieldValue?
        for line in head.split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = String(line[line.index(after: colon)...]).trimmed
            switch line[..<colon].lowercased() {
            case "content-disposition": disposition = FieldValue(value)
            case "content-type": contentType = value
            // The archive has no place for others, such as the length of the part.
            default: break
            }
        }
        guard disposition?.first == "form-data", let name = disposition?.parameters["name"] else {
            return nil
        }
        self.name = name
        fileName = disposition?.parameters["filename"] ?? disposition?.parameters["filename*"]
        value = RecordedExchange.Body(Array(part[(end + emptyLine.count)...]))
    }
}

extension ArraySlice<UInt8> {
    /// The index of some bytes; the standard library's search takes a microsecond a byte.
    fileprivate func start(of bytes: [UInt8]) -> Int? {
        var from = startIndex
        while let start = self[from...].firstIndex(of: bytes[0]) {
            if self[start...].starts(with: bytes) { return start }
            from = start + 1
        }
        return nil
    }
}

/// The value of a header field with parameters: `form-data; name="a"`.
private struct FieldValue {
    /// In lower case.
    let first: String
    private(set) var parameters: [String: String] = [:]

    /// Nil for a value that breaks the format.
    init?(_ text: String) {
        var rest = text[...]
        first = String(rest.prefix { $0 != ";" }).trimmed.lowercased()
        rest = rest.drop { $0 != ";" }
        while rest.popFirst() != nil {
            let name = String(rest.prefix { $0 != "=" && $0 != ";" })
            rest = rest.dropFirst(name.count)
            guard rest.popFirst() == "=" else {
                // A semicolon at the end.
                guard rest.isEmpty, name.trimmed.isEmpty else { return nil }
                return
            }
            guard let value = Self.value(&rest) else { return nil }
            parameters[name.trimmed.lowercased()] = value
            guard rest.prefix(while: { $0 != ";" }).allSatisfy(\.isWhitespace) else { return nil }
            rest = rest.drop { $0 != ";" }
        }
    }

    /// Takes a value, perhaps in quotes; nil if these do not end.
    private static func value(_ rest: inout Substring) -> String? {
        guard rest.first == "\"" else {
            let value = String(rest.prefix { $0 != ";" })
            rest = rest.dropFirst(value.count)
            return value.trimmed
        }
        var value = ""
        rest = rest.dropFirst()
        while let character = rest.popFirst() {
            if character == "\"" { return value }
            let isEscape = character == "\\" && rest.first.map { "\"\\".contains($0) } == true
            value.append(isEscape ? rest.removeFirst() : character)
        }
        return nil
    }
}

// MARK: - In an archive

extension RecordedForm {
    /// The list `params` of an archive.
    var json: JSONValue { .array(fields.map(\.json)) }

    /// Reads the list of an archive.
    init(params: [JSONValue]) { fields = params.map(Field.init) }

    func hidden(by walk: SecretWalk) -> RecordedForm {
        var form = self
        form.fields = fields.map { field in
            var field = field
            field.value = walk.value(field.value, of: field.name)
            field.fileName = field.fileName.map { walk($0) }
            return field
        }
        return form
    }
}

extension RecordedForm.Field {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["name": .string(name)]
        switch value {
        case .none, .form: object["value"] = ""
        case .text(let text): object["value"] = .string(text)
        case .bytes(let bytes):
            // As in a body, HAR has no encoding.
            object["value"] = .string(Data(bytes).base64EncodedString())
            object["_encoding"] = "base64"
        case .missing: break
        }
        if let fileName { object["fileName"] = .string(fileName) }
        if let contentType { object["contentType"] = .string(contentType) }
        return .object(object)
    }

    fileprivate init(_ json: JSONValue) {
        let value = RecordedExchange.Body(json["value"]?.stringValue, json["_encoding"]?.stringValue)
        let fileName = json["fileName"]?.stringValue
        self.init(
            name: json["name"]?.stringValue ?? "", value: value ?? (fileName == nil ? .none : .missing(1)),
            fileName: fileName, contentType: json["contentType"]?.stringValue)
    }
}
