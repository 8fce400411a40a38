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
    /// True if the record being edited was deleted; what was filled in stays.
    public private(set) var isGone = false
    /// The input of ``owner``.
    private var kept = RecordDraft<Item>()
    /// The account of the user whose form it is; nil for a guest, and for a form that is not guarded.
    private var owner: String?
    @ObservationIgnored let model: RecordModel<Item>
    @ObservationIgnored private var saves = 0
    /// The number of times that a field was set, by its name.
    @ObservationIgnored private var settings: [String: Int] = [:]

    /// Creates a form; nil for a new record.
    public init(_ id: Item.ID?, model: RecordModel<Item>) {
        self.id = id
        self.model = model
        owner = user
    }

    private var user: String? { Item.guards.isEmpty ? nil : model.repository.account }
    /// True if another user has signed in since the form was loaded or filled in, which is not shown.
    public var isOutdated: Bool { owner != user }

    private(set) var filled: RecordDraft<Item> {
        get { isOutdated ? RecordDraft() : kept }
        set {
            beginAnew()
            kept = newValue
        }
    }

    /// Drops what another user has filled in.
    private func beginAnew() {
        if isOutdated { (kept, owner, isGone) = (RecordDraft(), user, false) }
    }

    /// The record with what is filled in.
    public var draft: Item { filled.value }
    /// The record as it is stored.
    public var stored: Item { filled.stored }
    /// The mistakes of the fields, by name.
    public var problems: [String: String] { filled.problems }
    /// The fields that were filled in and are not stored.
    public var changed: [RecordField<Item>] { filled.changed }

    /// Loads the record being edited; what was filled in stays, and is marked where another change came first.
    public func load() async throws {
        beginAnew()
        guard let id else { return await loadNames() }
        let (count, owner) = (saves, owner)
        let loaded: Item
        do {
            loaded = try await model.repository.record(id)
        } catch let error as ServiceError where error.code == .notFound && filled.isEdited {
            return isGone = true
        }
        guard owner == user else { return }
        isGone = false
        try await model.repository.checkEditable(loaded)
        // A save in the meantime is newer; another user's view is read again.
        guard count == saves, owner == user else { return }
        filled.load(loaded)
        await loadNames()
    }

    /// Loads the names of the records that fields refer to.
    func loadNames() async { await model.names.load(for: [draft]) }

    /// Sets a field to typed text.
    ///
    /// - Throws: ``ValidationError`` if the text can't be its value; the form then says so.
    public func set(_ name: String, to text: String) throws {
        try checkNotSaving()
        try filled.set(name, to: text)
    }

    /// Sets a field to typed text, after looking up the record that it refers to; a service that does not answer
    /// checks it when the form is saved.
    func setChecked(_ name: String, to text: String) async throws {
        if isOutdated { try await load() }
        if let field = Item.fields[name], field.reference != nil {
            var changed = draft
            let number = settings[name, default: 0] + 1
            settings[name] = number
            let owner = owner
            do {
                try field.set(&changed, to: text)
                try await model.repository.checkReferences(changed, [field])
            } catch let error as ValidationError {
                show(error, to: owner)
                throw error
            } catch {
                if error is CancellationError || Task.isCancelled { throw CancellationError() }
            }
            // A later command, or another user, has set it meanwhile.
            if number != settings[name] || owner != user { return }
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
        try filled.prepareToSave()
        if id != nil, changed.isEmpty { return stored }
        let owner = owner
        do {
            return try await begin().value()
        } catch let error as ValidationError {
            show(error, to: owner)
            throw error
        } catch let error as ServiceError where error.code == .changedMeanwhile {
            try? await load()
            throw filled.refusal() ?? error
        }
    }

    private func begin() throws -> Promise<Item> {
        let end: RecordModel<Item>.Handler = { [weak self, owner] result in
            self?.end(result, of: owner)
        }
        let promise =
            if let id {
                try model.beginUpdating(id, filled.changes, handler: end)
            } else {
                try model.beginCreating(draft, handler: end)
            }
        isSaving = promise.result == nil
        return promise
    }

    private func end(_ result: Result<Item, any Error>, of user: String?) {
        isSaving = false
        guard case .success(let saved) = result, user == owner else { return }
        saves += 1
        // The form for a new record is empty afterwards.
        kept = RecordDraft(id == nil ? Item() : saved)
    }

    private func show(_ error: ValidationError, to owner: String?) {
        if owner == self.owner, !isOutdated { filled.show(error) }
    }

    /// Drops what was filled in.
    public func reset() throws {
        try checkNotSaving()
        try filled.reset()
    }

    private func checkNotSaving() throws {
        guard !isSaving else { throw ServiceError.isBeingSaved(Item.fields.noun) }
    }
}

extension RecordForm {
    /// The input that is not stored yet, without secrets; nil if there is none.
    public var savedState: RecordInput? {
        var input = filled.savedState
        input?.account = owner
        return input
    }

    /// Fills in what was saved; a text that is no value of its field any more is dropped.
    public func restore(_ input: RecordInput?) {
        kept.restore(input)
        if !Item.guards.isEmpty, let account = input?.account { owner = account }
    }

    /// The reason not to leave the form: what is filled in is not stored.
    public var leaveObjections: [LeaveObjection] {
        filled.leaveObjections(action: isGone ? "reset" : "save")
    }
}
