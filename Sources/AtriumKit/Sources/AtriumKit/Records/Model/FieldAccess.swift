/// The typed part of a field, without its type.
protocol FieldAccess<Root>: Sendable {
    associatedtype Root: Record

    var isText: Bool { get }
    var columnType: ColumnType { get }
    var isTime: Bool { get }
    func text(_ record: Root) -> String?
    func json(_ record: Root) -> JSONValue
    func databaseValue(_ record: Root) -> DatabaseValue
    func isEqual(_ left: Root, _ right: Root) -> Bool
    /// Sets the field to a moment, if its service sets it.
    func stamp(_ record: inout Root, _ moment: Timestamp)
    func copy(_ source: Root, _ record: inout Root)
    func findings(_ record: Root) -> [ValidationFinding]
    /// Sets typed text; returns the reason if it is no value, and leaves the record as it is then.
    func set(_ record: inout Root, _ text: String) -> ValidationFinding?
    /// Sets a value from JSON; returns the reason if it is none, and leaves the record as it is then.
    func set(_ record: inout Root, _ json: JSONValue) -> ValidationFinding?
    /// Removes the white space around a text, as it is removed from typed text.
    func trim(_ record: inout Root)
    func read(_ record: inout Root, _ row: DatabaseRow, _ index: Int) throws
    func content(_ record: Root) -> Field
    func column(isHidden: Bool) -> Column<Root>
}

/// The typed part of a field: its key path and the rules for its values.
struct TypedFieldAccess<Root: Record, Value: RecordValue>: FieldAccess {
    let name: String
    let label: String
    /// The field as the start of a sentence: "The title".
    let subject: String
    let typeName: String
    let path: any WritableKeyPath<Root, Value> & Sendable
    let rules: [@Sendable (Value, String) -> [String]]
    let choices: [String]
    let moment: (@Sendable (Timestamp) -> Value)?
    let isSecret: Bool
    let isReference: Bool

    /// A finding, without the value of a secret, with which a sentence ends.
    private func finding(_ message: String) -> ValidationFinding {
        guard isSecret, let value = message.firstRange(of: ", not ") else {
            return ValidationFinding(message, field: name)
        }
        return ValidationFinding(message[..<value.lowerBound] + ".", field: name)
    }

    var isText: Bool { Value.isText }
    var columnType: ColumnType { Value.columnType }
    var isTime: Bool { Value.self == Timestamp.self || Value.self == Timestamp?.self }

    func text(_ record: Root) -> String? {
        if isReference, databaseValue(record) == .integer(0) { return nil }
        return record[keyPath: path].argumentText.nilIfEmpty
    }

    func json(_ record: Root) -> JSONValue { record[keyPath: path].exchanged }
    func databaseValue(_ record: Root) -> DatabaseValue { record[keyPath: path].databaseValue }

    func isEqual(_ left: Root, _ right: Root) -> Bool {
        left[keyPath: path] == right[keyPath: path]
    }

    func stamp(_ record: inout Root, _ time: Timestamp) {
        if let moment { record[keyPath: path] = moment(time) }
    }

    func copy(_ source: Root, _ record: inout Root) {
        record[keyPath: path] = source[keyPath: path]
    }

    func findings(_ record: Root) -> [ValidationFinding] {
        let value = record[keyPath: path]
        if !choices.isEmpty {
            let text = text(record)
            if text != nil || !Value.isOptional, let finding = choiceFinding(text ?? "") { return [finding] }
        }
        return rules.flatMap { $0(value, subject) }.map(finding)
    }

    private func choiceFinding(_ text: String) -> ValidationFinding? {
        guard !choices.isEmpty, !choices.contains(text) else { return nil }
        return finding(
            "\(subject) must be one of \(choices.joined(separator: ", ")), not '\(text.excerpt)'.")
    }

    func set(_ record: inout Root, _ text: String) -> ValidationFinding? {
        var text = text.trimmed.withLineFeeds
        if !isSecret { text = text.normalized }
        if text.isEmpty, let absent = Value.absent {
            record[keyPath: path] = absent
            return nil
        }
        if let finding = choiceFinding(text) { return finding }
        guard let value = Value(argument: text) else {
            return finding("\(subject) must be \(typeName), not '\(text.excerpt)'.")
        }
        record[keyPath: path] = value
        return nil
    }

    func set(_ record: inout Root, _ json: JSONValue) -> ValidationFinding? {
        guard let value = Value(json: json) else {
            return finding("\(subject) must be \(typeName), not \(json.serialized.excerpt).")
        }
        record[keyPath: path] = value
        return nil
    }

    func trim(_ record: inout Root) {
        if isText { _ = set(&record, record[keyPath: path].argumentText) }
    }

    func read(_ record: inout Root, _ row: DatabaseRow, _ index: Int) throws {
        record[keyPath: path] = try row.value(index)
    }

    func content(_ record: Root) -> Field { Field(name, label: label, record[keyPath: path]) }

    func column(isHidden: Bool) -> Column<Root> {
        let path = path
        return Column(name, label: label, isHidden: isHidden) { $0[keyPath: path] }
    }
}
