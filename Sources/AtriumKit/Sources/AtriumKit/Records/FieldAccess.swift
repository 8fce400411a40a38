/// The typed part of a field, without its type.
class FieldAccess<Root: Record>: @unchecked Sendable {
    var isText: Bool { false }
    var columnType: ColumnType { .text }
    func text(_ record: Root) -> String? { nil }
    func json(_ record: Root) -> JSONValue { .null }
    func databaseValue(_ record: Root) -> DatabaseValue { .null }
    func isEqual(_ left: Root, _ right: Root) -> Bool { true }
    func copy(_ source: Root, _ record: inout Root) {}
    func findings(_ record: Root) -> [ValidationFinding] { [] }
    func set(_ record: inout Root, _ text: String) -> ValidationFinding? { nil }
    func set(_ record: inout Root, _ json: JSONValue) -> ValidationFinding? { nil }
    func read(_ record: inout Root, _ row: DatabaseRow, _ index: Int) throws {}
    func content(_ record: Root) -> Field { Field("", "") }
    func column() -> Column<Root> { Column("") { _ in "" } }
    func setLongest(_ record: inout Root) {}
}

/// The typed part of a field: its key path and the rules for its values.
final class TypedFieldAccess<Root: Record, Value: RecordValue>: FieldAccess<Root>, @unchecked Sendable {
    private let name: String
    private let label: String
    private let path: any WritableKeyPath<Root, Value> & Sendable
    private let rules: [@Sendable (Value, String) -> [String]]
    private let choices: [String]

    init(
        name: String, label: String, path: any WritableKeyPath<Root, Value> & Sendable,
        rules: [@Sendable (Value, String) -> [String]], choices: [String]
    ) {
        (self.name, self.label, self.path, self.rules, self.choices) = (name, label, path, rules, choices)
    }

    /// The field as the start of a sentence.
    private var subject: String { "The \(label.lowercased())" }

    private func finding(_ message: String) -> ValidationFinding { ValidationFinding(message, field: name) }

    override var isText: Bool { Value.self is any TextFieldValue.Type }
    override var columnType: ColumnType { Value.columnType }

    override func text(_ record: Root) -> String? { record[keyPath: path].argumentText.nilIfEmpty }
    override func json(_ record: Root) -> JSONValue { record[keyPath: path].exchanged }
    override func databaseValue(_ record: Root) -> DatabaseValue { record[keyPath: path].databaseValue }

    override func isEqual(_ left: Root, _ right: Root) -> Bool {
        left[keyPath: path] == right[keyPath: path]
    }

    override func copy(_ source: Root, _ record: inout Root) {
        record[keyPath: path] = source[keyPath: path]
    }

    override func findings(_ record: Root) -> [ValidationFinding] {
        let value = record[keyPath: path]
        if let text = text(record), !choices.isEmpty, !choices.contains(text) {
            return [
                finding(
                    "\(subject) must be one of \(choices.joined(separator: ", ")), not '\(text.excerpt)'.")
            ]
        }
        return rules.flatMap { $0(value, subject) }.map(finding)
    }

    override func set(_ record: inout Root, _ text: String) -> ValidationFinding? {
        let text = text.trimmed.withLineFeeds
        if text.isEmpty, let absent = Value.absent {
            record[keyPath: path] = absent
            return nil
        }
        if !choices.isEmpty, !choices.contains(text) {
            return finding(
                "\(subject) must be one of \(choices.joined(separator: ", ")), not '\(text.excerpt)'.")
        }
        guard let value = Value(argument: text) else {
            return finding("\(subject) must be \(Value.argumentTypeName), not '\(text.excerpt)'.")
        }
        record[keyPath: path] = value
        return nil
    }

    override func set(_ record: inout Root, _ json: JSONValue) -> ValidationFinding? {
        guard let value = Value(json: json) else {
            return finding("\(subject) must be \(Value.argumentTypeName), not \(json.serialized.excerpt).")
        }
        record[keyPath: path] = value
        return nil
    }

    override func read(_ record: inout Root, _ row: DatabaseRow, _ index: Int) throws {
        record[keyPath: path] = try row.value(index)
    }

    override func content(_ record: Root) -> Field { Field(name, label: label, record[keyPath: path]) }

    override func column() -> Column<Root> {
        let path = path
        return Column(name, label: label) { $0[keyPath: path] }
    }
}
