public import Observation

/// A form for a record that a view model owns: what is filled in, what is wrong, and saving it.
///
/// Only the fields that were changed are stored, so that changes of other fields by other users are kept.
@MainActor
@Observable
public final class RecordForm<Item: Record> {
    /// The record being edited; nil for a new one.
    public let id: Item.ID?
    /// The record with what is filled in.
    public private(set) var draft = Item()
    /// The record as it is stored.
    public private(set) var stored = Item()
    /// The mistakes of the fields, by name.
    public private(set) var problems: [String: String] = [:]
    public private(set) var isSaving = false
    /// True if the record being edited was deleted; what was filled in stays.
    public private(set) var isGone = false

    /// The fields that were filled in, each with the text that was stored then.
    private var edited: [String: String] = [:]
    /// The fields that others changed after they were filled in; the next save is refused once.
    private var outdated: Set<String> = []
    /// The texts of others' changes for which a save was refused.
    private var acknowledged: [String: String] = [:]
    @ObservationIgnored let model: RecordModel<Item>
    @ObservationIgnored private var saves = 0
    /// The number of times that a field was set, by its name.
    @ObservationIgnored private var settings: [String: Int] = [:]

    /// Creates a form; nil for a new record.
    public init(_ id: Item.ID?, model: RecordModel<Item>) {
        self.id = id
        self.model = model
    }

    /// The fields that were filled in and are not stored.
    public var changed: [RecordField<Item>] { draft.changes(from: stored) }

    /// Loads the record being edited; what was filled in stays, and is marked where another change came first.
    public func load() async throws {
        guard let id else { return await loadNames() }
        let count = saves
        let loaded: Item
        do {
            loaded = try await model.repository.record(id)
        } catch let error as ServiceError where error.code == .notFound && !edited.isEmpty {
            return isGone = true
        }
        isGone = false
        try await model.repository.checkEditable(loaded)
        // What was saved meanwhile is newer.
        guard count == saves else { return }
        var rebased = loaded
        for field in Item.fields.all {
            guard let former = edited[field.name] else { continue }
            field.copy(from: draft, to: &rebased)
            let present = field.text(of: loaded) ?? ""
            if present != former, !field.isEqual(loaded, draft) {
                if acknowledged[field.name] != present { outdated.insert(field.name) }
                problems[field.name] = Self.conflict(field, with: loaded)
            } else if outdated.remove(field.name) != nil
                || acknowledged.removeValue(forKey: field.name) != nil
            {
                problems[field.name] = nil
            }
        }
        (stored, draft) = (loaded, rebased)
        await loadNames()
    }

    /// Loads the names of the records that fields refer to.
    func loadNames() async { await model.names.load(for: [draft]) }

    /// The sentence of a conflict, such as "The stored title is 'B' now.".
    private static func conflict(_ field: RecordField<Item>, with stored: Item) -> String {
        let present = field.text(of: stored).map { "'\($0.excerpt)'" } ?? "empty"
        return
            "The stored \(field.label.lowercased()) is \(field.traits.isSecret ? "another one" : present) now."
    }

    /// Sets a field to typed text.
    ///
    /// - Throws: ``ValidationError`` if the text can't be its value; the form then says so.
    public func set(_ name: String, to text: String) throws {
        try checkNotSaving()
        let field = try Item.fields.field(name, among: Item.fields.editable)
        problems[name] = nil
        do {
            try field.set(&draft, to: text)
            // What others stored was shown beside the field.
            if outdated.remove(name) != nil { edited[name] = nil }
            if edited[name] == nil { edited[name] = field.text(of: stored) ?? "" }
        } catch let error as ValidationError {
            show(error)
            throw error
        }
    }

    /// Sets a field to typed text, after looking up the record that it refers to; a service that does not answer
    /// checks it when the form is saved.
    func setChecked(_ name: String, to text: String) async throws {
        if let field = Item.fields[name], field.reference != nil {
            var changed = draft
            let number = settings[name, default: 0] + 1
            settings[name] = number
            do {
                try field.set(&changed, to: text)
                try await model.repository.checkReferences(changed, [field])
            } catch let error as ValidationError {
                show(error)
                throw error
            } catch {
                if error is CancellationError || Task.isCancelled { throw CancellationError() }
            }
            // A later command has set it meanwhile.
            if number != settings[name] { return }
        }
        try set(name, to: text)
        await loadNames()
    }

    /// Stores the record, and returns it.
    ///
    /// A cancelled caller stops waiting, but the record is stored and the form ends, so that nothing is stored
    /// twice.
    ///
    /// - Throws: ``ServiceError`` `changedMeanwhile` if others changed one of the fields; saving again stores
    ///   them. A server that does not check this takes the last change.
    public func save() async throws -> Item {
        try checkNotSaving()
        if !outdated.isEmpty { throw refusal() }
        problems = [:]
        if id != nil, changed.isEmpty { return stored }
        do {
            return try await begin().value()
        } catch let error as ValidationError {
            show(error)
            throw error
        } catch let error as ServiceError where error.code == .changedMeanwhile {
            try? await load()
            throw outdated.isEmpty ? error : refusal()
        }
    }

    /// The reason to refuse a save once: the values that others stored.
    private func refusal() -> ServiceError {
        let fields = Item.fields.all.filter { outdated.contains($0.name) }
        for field in fields { acknowledged[field.name] = field.text(of: stored) ?? "" }
        outdated = []
        let values = fields.map { Self.conflict($0, with: stored) }.joined(separator: " ")
        return ServiceError(
            .changedMeanwhile, "The \(Item.fields.noun.singular) was changed meanwhile. \(values)",
            hint: "save again to replace it   or   reset")
    }

    private func begin() throws -> Promise<Item> {
        let promise =
            if let id {
                try model.beginUpdating(id, RecordChanges(to: draft, from: stored)) { [weak self] in
                    self?.end($0)
                }
            } else {
                try model.beginCreating(draft) { [weak self] in self?.end($0) }
            }
        isSaving = promise.result == nil
        return promise
    }

    private func end(_ result: Result<Item, any Error>) {
        isSaving = false
        guard case .success(let saved) = result else { return }
        saves += 1
        // The form for a new record is empty afterwards.
        let shown = id == nil ? Item() : saved
        (stored, draft, edited, acknowledged) = (shown, shown, [:], [:])
    }

    /// Drops what was filled in.
    public func reset() throws {
        try checkNotSaving()
        (draft, edited, outdated, acknowledged, problems) = (stored, [:], [], [:], [:])
    }

    private func checkNotSaving() throws {
        guard !isSaving else { throw ServiceError.isBeingSaved(Item.fields.noun) }
    }

    private func show(_ error: ValidationError) {
        for (name, found) in Dictionary(grouping: error.findings, by: \.field) {
            if let name { problems[name] = found.map(\.message).joined(separator: " ") }
        }
    }
}

extension RecordForm {
    /// What is filled in and not stored, without secrets; nil if there is nothing.
    public var savedState: RecordInput? {
        let fields = changed.filter { !$0.traits.isSecret }
        guard !fields.isEmpty else { return nil }
        return RecordInput(
            texts: Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.text(of: draft) ?? "") }),
            stored: edited.filter { name, _ in fields.contains { $0.name == name } })
    }

    /// Fills in what was saved; a text that is no value of its field any more is dropped.
    public func restore(_ input: RecordInput?) {
        for (name, text) in input?.texts ?? [:] {
            guard let field = Item.fields[name], (try? field.set(&draft, to: text)) != nil else { continue }
            edited[name] = input?.stored[name] ?? ""
        }
    }

    /// The reason not to leave the form: what is filled in is not stored.
    public var leaveObjections: [LeaveObjection] {
        let changed = changed
        guard let first = changed.first else { return [] }
        let reason =
            changed.count == 1
            ? "The field '\(first.name)' is not saved." : "\(changed.count) fields are not saved."
        return [LeaveObjection(reason, hint: isGone ? "reset" : "save")]
    }
}

/// What was filled into a form, by the names of the fields.
public struct RecordInput: Codable, Hashable, Sendable {
    public let texts: [String: String]
    /// The texts that were stored when the fields were filled in, to notice changes by others.
    public let stored: [String: String]
}
