/// A record with what a user has filled in, the mistakes beside its fields, and what others changed meanwhile.
///
/// A ``RecordForm`` and a ``DraftForm`` have one.
public struct RecordDraft<Item: Record>: Hashable, Sendable {
    /// The record as it is stored.
    public private(set) var stored: Item
    /// The record with what is filled in.
    public private(set) var value: Item
    /// The mistakes of the fields, by name.
    public private(set) var problems: [String: String] = [:]

    /// The fields that were filled in, each with the text that was stored then.
    private var edited: [String: String] = [:]
    /// The number of times that a field was filled in.
    private var sets: [String: Int] = [:]
    /// The fields that others changed after they were filled in; the next save is refused once.
    private var outdated: Set<String> = []
    /// The texts of others' changes for which a save was refused.
    private var acknowledged: [String: String] = [:]

    /// Creates a draft of a record, by default of a new one.
    public init(_ stored: Item = Item()) { (self.stored, value) = (stored, stored) }

    /// The fields that were filled in and are not stored.
    public var changed: [RecordField<Item>] { value.changes(from: stored) }
    /// The unsaved changes, for a repository.
    public var changes: RecordChanges<Item> { RecordChanges(to: value, from: stored).trimmed() }
    /// True if something was filled in.
    var isEdited: Bool { !edited.isEmpty }

    /// Takes over the record as it is stored now; what was filled in stays, and is marked where another change came
    /// first.
    public mutating func load(_ loaded: Item) {
        var rebased = loaded
        for field in Item.fields.all {
            guard let former = edited[field.name] else { continue }
            field.copy(from: value, to: &rebased)
            let present = field.text(of: loaded) ?? ""
            if present != former, !field.isEqual(loaded, value) {
                if acknowledged[field.name] != present { outdated.insert(field.name) }
                problems[field.name] = Self.conflict(field, with: loaded)
            } else if outdated.remove(field.name) != nil
                || acknowledged.removeValue(forKey: field.name) != nil
            {
                problems[field.name] = nil
            }
        }
        (stored, value) = (loaded, rebased)
    }

    /// The sentence of a conflict, such as "The stored title is 'B' now.".
    private static func conflict(_ field: RecordField<Item>, with stored: Item) -> String {
        let present = field.text(of: stored).map { "'\($0.excerpt)'" } ?? "empty"
        return
            "The stored \(field.label.lowercased()) is \(field.traits.isSecret ? "another one" : present) now."
    }

    /// Sets a field to typed text.
    ///
    /// - Throws: ``ValidationError`` if the text can't be its value; the draft then says so.
    public mutating func set(_ name: String, to text: String) throws {
        let field = try Item.fields.field(name, among: Item.fields.editable)
        problems[name] = nil
        do {
            try field.set(&value, to: text)
            // The value stored by others was shown beside the field.
            if outdated.remove(name) != nil { edited[name] = nil }
            if edited[name] == nil { edited[name] = field.text(of: stored) ?? "" }
            sets[name, default: 0] += 1
        } catch let error as ValidationError {
            show(error)
            throw error
        }
    }

    /// Sets the fields for which there are texts.
    ///
    /// - Throws: ``ValidationError`` with all mistakes.
    public mutating func set(_ texts: [String: String]) throws {
        try Item.fields.setEach({ texts[$0] }) { try set($0, to: $1) }
    }

    /// Removes the mistakes that are shown, before `action` stores what is filled in.
    ///
    /// - Throws: ``ServiceError`` `changedMeanwhile`, once, if others changed one of the fields.
    public mutating func prepareToSave(by action: String = "save") throws {
        if let refusal = refusal(of: action) { throw refusal }
        problems = [:]
    }

    /// The reason to refuse a save once: the values that others stored; nil if there are none.
    public mutating func refusal(of action: String = "save") -> ServiceError? {
        let fields = Item.fields.all.filter { outdated.contains($0.name) }
        guard !fields.isEmpty else { return nil }
        for field in fields { acknowledged[field.name] = field.text(of: stored) ?? "" }
        outdated = []
        let values = fields.map { Self.conflict($0, with: stored) }.joined(separator: " ")
        return ServiceError(
            .changedMeanwhile, "The \(Item.fields.noun.singular) was changed meanwhile. \(values)",
            hint: "\(action) again to replace it   or   reset")
    }

    /// Takes over the record that was stored from a copy of the draft; what was filled in since then stays.
    public mutating func settle(_ saved: Item, from attempt: Self) {
        var rebased = saved
        for field in Item.fields.all where sets[field.name, default: 0] > attempt.sets[field.name, default: 0]
        {
            field.copy(from: value, to: &rebased)
        }
        (stored, value, problems, outdated, acknowledged) = (saved, rebased, [:], [], [:])
        edited = [:]
        for field in changed { edited[field.name] = field.text(of: saved) ?? "" }
    }

    /// Drops what was filled in, in some fields or in all.
    public mutating func reset(_ names: [String]? = nil) throws {
        guard let names else { return self = Self(stored) }
        for field in try names.map({ try Item.fields.field($0, among: Item.fields.editable) }) {
            field.copy(from: stored, to: &value)
            (edited[field.name], acknowledged[field.name], problems[field.name]) = (nil, nil, nil)
            outdated.remove(field.name)
        }
    }

    /// Shows mistakes beside their fields.
    public mutating func show(_ error: ValidationError) {
        for (name, found) in Dictionary(grouping: error.findings, by: \.field) {
            if let name { problems[name] = found.map(\.message).joined(separator: " ") }
        }
    }
}

extension RecordDraft {
    /// The input that is not stored yet, without secrets; nil if there is none.
    public var savedState: RecordInput? {
        let fields = changed.filter { !$0.traits.isSecret }
        guard !fields.isEmpty else { return nil }
        return RecordInput(
            texts: Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.text(of: value) ?? "") }),
            stored: edited.filter { name, _ in fields.contains { $0.name == name } })
    }

    /// Restores saved input; drops a text that is no longer a value of its field.
    public mutating func restore(_ input: RecordInput?) {
        for (name, text) in input?.texts ?? [:] {
            guard let field = Item.fields[name], (try? field.set(&value, to: text)) != nil else { continue }
            edited[name] = input?.stored[name] ?? ""
        }
    }

    /// The reason not to leave the form: what is filled in is not stored; `participle` and `action` are those of
    /// the action that stores it.
    public func leaveObjections(
        _ participle: String = "saved", action: String = "save"
    ) -> [LeaveObjection] {
        let changed = changed
        guard let first = changed.first else { return [] }
        let reason =
            changed.count == 1
            ? "The field '\(first.name)' is not \(participle)."
            : "\(changed.count) fields are not \(participle)."
        return [LeaveObjection(reason, hint: action)]
    }
}

/// The input of a form, by the names of the fields.
public struct RecordInput: Codable, Hashable, Sendable {
    public let texts: [String: String]
    /// The texts that were stored when the fields were filled in, to notice changes by others.
    public let stored: [String: String]
    /// The account of the user who filled in a guarded form.
    public internal(set) var account: String?

    /// Creates what a form restores.
    public init(texts: [String: String], stored: [String: String], account: String? = nil) {
        (self.texts, self.stored, self.account) = (texts, stored, account)
    }
}
