public import Observation

/// A form for a record that a view model owns: what is filled in, what is wrong, and saving it.
///
/// Only the fields that were changed are stored, so that changes of other fields by other users are kept.
///
/// Behind ``Record/guards``, the form belongs to the user who filled it in: it is empty while another one is signed
/// in, and whoever loads it or fills it in next begins anew.
@MainActor
@Observable
public final class RecordForm<Item: Record> {
    /// The record being edited; nil for a new one.
    public let id: Item.ID?
    public private(set) var isSaving = false
    private(set) var owned: OwnedDraft<Item>
    @ObservationIgnored let model: RecordModel<Item>
    @ObservationIgnored private var saves = 0
    /// The number of times that a field was set, by its name.
    @ObservationIgnored private var settings: [String: Int] = [:]

    /// Creates a form; nil for a new record.
    public init(_ id: Item.ID?, model: RecordModel<Item>) {
        self.id = id
        self.model = model
        owned = OwnedDraft { model.repository.account }
    }

    /// True if another user has signed in since the form was loaded or filled in, which is not shown.
    public var isOutdated: Bool { owned.isOutdated }
    /// True if the record being edited was deleted; the input stays.
    public var isGone: Bool { owned.origin == .deleted }
    /// The record with what is filled in.
    public var draft: Item { owned.draft.value }
    /// The record as it is stored.
    public var stored: Item { owned.draft.stored }
    /// The mistakes of the fields, by name.
    public var problems: [String: String] { owned.draft.problems }
    /// The fields that were filled in and are not stored.
    public var changed: [RecordField<Item>] { owned.draft.changed }

    /// Loads the record being edited; what was filled in stays, and is marked where another change came first.
    public func load() async throws {
        owned.beginAnew()
        guard let id else { return await loadNames() }
        let (count, owner) = (saves, owned.owner)
        let loaded: Item
        do {
            loaded = try await model.repository.record(id)
        } catch let error as ServiceError where error.code == .notFound && owned.draft.isEdited {
            return owned.markDeleted()
        }
        // Another user's view is read again.
        guard owned.isPresent(owner) else { return }
        try await model.repository.checkEditable(loaded)
        // A save in the meantime is newer.
        guard count == saves, owned.isPresent(owner) else { return }
        owned.load(loaded, of: owner)
        await loadNames()
    }

    /// Loads the names of the records that fields refer to.
    func loadNames() async { await model.names.load(for: [draft]) }

    /// Sets a field to typed text.
    ///
    /// - Throws: ``ValidationError`` if the text can't be its value; the form then says so.
    public func set(_ name: String, to text: String) throws {
        try checkNotSaving()
        try owned.draft.set(name, to: text)
    }

    /// Sets a field to typed text, after looking up the record that it refers to; a service that does not answer
    /// checks it when the form is saved.
    func setChecked(_ name: String, to text: String) async throws {
        if isOutdated { try await load() }
        if let field = Item.fields[name], field.reference != nil {
            var changed = draft
            let number = settings[name, default: 0] + 1
            settings[name] = number
            let owner = owned.owner
            do {
                try field.set(&changed, to: text)
                try await model.repository.checkReferences(changed, [field])
            } catch let error as ValidationError {
                owned.change(of: owner) { $0.show(error) }
                throw error
            } catch {
                if error is CancellationError || Task.isCancelled { throw CancellationError() }
            }
            // A later command, or another user, has set it meanwhile.
            if number != settings[name] || !owned.isPresent(owner) { return }
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
        if isOutdated { try await load() }
        try owned.draft.prepareToSave()
        if id != nil, changed.isEmpty { return stored }
        let owner = owned.owner
        do {
            return try await begin().value()
        } catch let error as ValidationError {
            owned.change(of: owner) { $0.show(error) }
            throw error
        } catch let error as ServiceError where error.code == .changedMeanwhile {
            try? await load()
            throw owned.refusal(to: owner) ?? error
        }
    }

    private func begin() throws -> Promise<Item> {
        let end: RecordModel<Item>.Handler = { [weak self, owner = owned.owner] result in
            self?.end(result, of: owner)
        }
        let promise =
            if let id {
                try model.beginUpdating(id, owned.draft.changes, handler: end)
            } else {
                try model.beginCreating(draft, handler: end)
            }
        isSaving = promise.result == nil
        return promise
    }

    private func end(_ result: Result<Item, any Error>, of owner: String?) {
        isSaving = false
        guard case .success(let saved) = result, owned.belongs(to: owner) else { return }
        saves += 1
        // The form for a new record is empty afterwards.
        owned.change(of: owner) { $0 = RecordDraft(id == nil ? Item() : saved) }
    }

    /// Drops what was filled in.
    public func reset() throws {
        try checkNotSaving()
        try owned.draft.reset()
    }

    private func checkNotSaving() throws {
        guard !isSaving else { throw ServiceError.isBeingSaved(Item.fields.noun) }
    }
}

extension RecordForm {
    /// The input that is not stored yet, without secrets; nil if there is none.
    public var savedState: RecordInput? { owned.savedState }

    /// Restores saved input; drops a text that is no longer a value of its field.
    public func restore(_ input: RecordInput?) { owned.restore(input) }

    /// The reason not to leave the form: its input is not stored.
    public var leaveObjections: [LeaveObjection] {
        owned.draft.leaveObjections(action: isGone ? "reset" : "save")
    }
}
