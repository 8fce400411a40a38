/// Reads a JSON file field by field and collects all its problems: `module.json`, `modules.json` and
/// `modules.lock`.
///
/// Each function checks one field; if it is invalid, reports that and returns `nil` or an empty value, and
/// ``finish()`` throws before such a result is used. A value of the wrong type gives one finding; its content
/// is not checked.
///
/// `Schemas/*.schema.json` has the same rules for editors. The corpus of `AtriumManifestTests` shows that
/// both accept and refuse the same files.
public struct DocumentReader {
    /// A value of the document and the path to it.
    public struct Field {
        public let value: LocatedJSON
        /// Empty for the whole document.
        let path: String

        /// The value of a key, with the path to it; nil if this is not an object or does not have it.
        public subscript(key: String) -> Field? {
            value[key].map { Field(value: $0, path: path(to: key)) }
        }
    }

    /// A key that the author chose, and its value.
    public struct Member {
        public let key: String
        let keyPosition: SourcePosition
        let isKeyValid: Bool
        public let field: Field
    }

    /// The whole document, from which all other fields are reached.
    public let root: Field

    private let file: String
    private var findings: [Finding] = []

    /// Parses a file.
    public init(_ bytes: [UInt8], file: String) throws(ManifestError) {
        self.file = file
        do {
            root = Field(value: try LocatedJSON(parsing: bytes), path: "")
        } catch {
            let finding = Finding(position: error.position, field: "", message: error.message)
            throw ManifestError(file: file, findings: [finding])
        }
    }

    /// Throws all findings, if any, in the order of the file.
    public func finish() throws(ManifestError) {
        if findings.isEmpty { return }
        throw ManifestError(file: file, findings: findings.sorted { $0.position < $1.position })
    }

    /// Adds a finding about a field, unless the last one is about the same field and position.
    mutating func report(_ field: String, at position: SourcePosition, _ message: String) {
        if let last = findings.last, last.position == position, last.field == field { return }
        findings.append(Finding(position: position, field: field, message: message))
    }

    /// Adds a finding at the position of a value, unless the last one is about the same field and position.
    public mutating func report(_ field: Field, _ message: String) {
        report(field.path, at: field.value.position, message)
    }

    private mutating func reportType(_ field: Field, allowed: String) {
        report(field, "Found \(field.value.plain.typePhrase); allowed: \(allowed).")
    }
}

extension DocumentReader {
    /// Checks the keys of an object; those in `ignored` are allowed, but messages do not offer them.
    public mutating func checkObject(
        _ field: Field, keys: [String], required: [String] = [], ignored: [String] = []
    ) {
        guard case .object = field.value.plain else {
            return reportType(field, allowed: "an object")
        }
        for member in field.value.members where !keys.contains(member.key) && !ignored.contains(member.key) {
            let suggestion = Wording.suggestion(for: member.key, among: keys)
            report(
                field.path(to: member.key), at: member.keyPosition,
                "Unknown key \(Wording.quoted(member.key))\(suggestion) "
                    + "Allowed: \(keys.joined(separator: ", ")).")
        }
        for key in required where field.value[key] == nil {
            report(
                field.path(to: key), at: field.value.position,
                "Required key \(Wording.quoted(key)) is missing.")
        }
    }

    /// The members of an object whose keys are chosen by the author.
    public mutating func members(_ field: Field?, keys format: TextFormat? = nil) -> [Member] {
        guard let field else { return [] }
        guard case .object = field.value.plain else {
            reportType(field, allowed: "an object")
            return []
        }
        return field.value.members.map { member in
            let path = field.path(to: member.key)
            let isKeyValid = format?.accepts(member.key) ?? true
            if let format, !isKeyValid {
                report(path, at: member.keyPosition, format.refusal(of: member.key))
            }
            return Member(
                key: member.key, keyPosition: member.keyPosition, isKeyValid: isKeyValid,
                field: Field(value: member.value, path: path))
        }
    }

    /// Returns the elements of an array, in order; none if it is absent; reports any other type.
    public mutating func items(_ field: Field?) -> [Field] {
        guard let field else { return [] }
        guard case .array = field.value.plain else {
            reportType(field, allowed: "an array")
            return []
        }
        return field.value.items.enumerated().map { index, item in
            Field(value: item, path: field.path + "[\(index)]")
        }
    }

    /// The strings of an array, each once.
    mutating func texts(_ field: Field?, _ format: TextFormat) -> [String] {
        var earlier = FirstOccurrences<ManifestValue>()
        return items(field).compactMap { item in
            let text = text(item, format)
            checkUnique(item, &earlier)
            return text
        }
    }

    /// Reports a value that an array contains already.
    mutating func checkUnique(_ item: Field, _ earlier: inout FirstOccurrences<ManifestValue>) {
        let value = item.value.plain
        if let first = earlier.insert(value.canonical, at: item.value.position) {
            report(item, "\(value.excerpt) appears twice; the first is on line \(first.line).")
        }
    }
}

extension DocumentReader {
    /// The string in a field; `nil` if it is missing or does not match the format.
    @discardableResult
    public mutating func text(_ field: Field?, _ format: TextFormat? = nil) -> String? {
        guard let field else { return nil }
        guard let text = field.value.text else {
            reportType(field, allowed: "a string")
            return nil
        }
        guard let format, !format.accepts(text) else { return text }
        report(field, format.refusal(of: text))
        return nil
    }

    /// The case of an enumeration whose raw value is in a field.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ field: Field?) -> Choice? {
        choice(field, among: Choice.allCases.map(\.rawValue)).flatMap(Choice.init)
    }

    /// The text in a field, which is one of `names`.
    mutating func choice(_ field: Field?, among names: [String]) -> String? {
        guard let field else { return nil }
        if let choice = field.value.text, names.contains(choice) { return choice }
        let nearest = field.value.text.flatMap { Wording.nearest(to: $0, among: names) }
        let hint = nearest.map { "; did you mean \(Wording.quoted($0))? Allowed: " } ?? "; allowed: "
        let list = Wording.alternatives(names.map(Wording.quoted))
        report(field, "Found \(field.value.plain.excerpt)\(hint)\(list).")
        return nil
    }

    mutating func flag(_ field: Field?) -> Bool? {
        guard let field else { return nil }
        if case .bool(let value) = field.value.plain { return value }
        reportType(field, allowed: "a boolean")
        return nil
    }

    /// The number in a field; a whole one may be written with a fraction of zero, as in JSON Schema.
    public mutating func number(
        _ field: Field?, in range: ClosedRange<Double>, isWhole: Bool = false
    ) -> Double? {
        guard let field else { return nil }
        guard let number = field.value.plain.number, !isWhole || number.rounded() == number else {
            reportType(field, allowed: isWhole ? "an integer" : "a number")
            return nil
        }
        if range.contains(number) { return number }
        let isSmall = number < range.lowerBound
        let bound = ManifestValue.number(isSmall ? range.lowerBound : range.upperBound).excerpt
        report(
            field,
            "\(field.value.plain.excerpt) is too \(isSmall ? "small" : "large"); "
                + "allowed: \(bound) or \(isSmall ? "more" : "less").")
        return nil
    }

    mutating func plainValue(_ field: Field) -> ManifestValue {
        switch field.value.plain {
        case .string, .integer, .number, .bool: break
        case .null, .array, .object: reportType(field, allowed: "a string, a number or a boolean")
        }
        return field.value.plain
    }

    /// The version in a field; version 0.0.0 if there is none.
    public mutating func version(_ field: Field?, _ format: TextFormat? = nil) -> SemanticVersion {
        let none = SemanticVersion(0, 0, 0)
        guard let field, let text = text(field) else { return none }
        do {
            return try SemanticVersion(parsing: text)
        } catch {
            let refusal = error.isTooLarge ? nil : format?.refusal(of: text)
            report(field, refusal ?? error.message)
            return none
        }
    }
}
