/// New values for some fields of a record.
public struct RecordChanges<Item: Record>: Hashable, Sendable {
    private var values = Item()
    private var names: Set<String> = []
    /// The record as it was read: changes of the same fields by others since then are a conflict; nil for no
    /// such check.
    public let base: Item?

    /// Creates changes without a field.
    public init() { base = nil }

    /// The fields in which `record` differs from `base`, as it was read.
    public init(to record: Item, from base: Item) {
        (values, self.base) = (record, base)
        names = Set(record.changes(from: base).map(\.name))
    }

    /// The values of some fields of a record.
    init(_ record: Item, fields: Set<String>) {
        (values, names, base) = (record, fields, nil)
    }

    /// The changed fields, in the order of their declaration.
    public var fields: [RecordField<Item>] { Item.fields.all.filter { names.contains($0.name) } }
    public var isEmpty: Bool { names.isEmpty }

    /// Sets a field to typed text.
    ///
    /// - Throws: ``ValidationError`` if the text can't be its value.
    public mutating func set(_ name: String, to text: String) throws {
        try Item.fields.field(name, among: Item.fields.editable).set(&values, to: text)
        names.insert(name)
    }

    /// Returns the changes without white space around the new texts.
    func trimmed() -> Self {
        var changes = self
        for field in fields where field.isText { field.access.trim(&changes.values) }
        return changes
    }

    /// Returns a record with the new values.
    public func applied(to record: Item) -> Item {
        var changed = record
        for field in fields { field.copy(from: values, to: &changed) }
        return changed
    }

    /// Returns the rules that the new values break.
    func validate() -> [ValidationFinding] { fields.flatMap { $0.findings(in: values) } }

    /// Returns the record with the new values, for a service that has read it.
    ///
    /// - Throws: ``ServiceError`` `changedMeanwhile`.
    public func checkedAndApplied(to record: Item) throws -> Item {
        if let base {
            // Also if it has the new value already: of two that each lend the last copy, one is too late.
            let lost = fields.filter { !$0.isEqual(record, base) }
            guard lost.isEmpty else {
                throw ServiceError.changedMeanwhile(Item.fields.noun, lost.map(\.name))
            }
        }
        return applied(to: record)
    }
}

extension Record {
    /// Returns the record without white space around its texts.
    func trimmed() -> Self {
        var record = self
        for field in Self.fields.all where field.isText { field.access.trim(&record) }
        return record
    }

    /// Sets the fields for which there are arguments.
    ///
    /// - Throws: ``ValidationError`` with all mistakes.
    mutating func set(_ values: ArgumentValues) throws {
        var changes = RecordChanges<Self>()
        try changes.set(values)
        self = changes.applied(to: self)
    }
}

extension RecordChanges {
    /// Sets the fields for which there are arguments.
    ///
    /// - Throws: ``ValidationError`` with all mistakes.
    mutating func set(_ values: ArgumentValues) throws {
        try Item.fields.setEach({ values[$0] }) { try set($0, to: $1) }
    }
}
