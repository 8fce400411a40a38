public import Observation

/// A form that its view model stores: what is filled in, what is wrong, and one save at a time.
///
/// Behind ``Record/guards``, it belongs to the user who loaded it or filled it in, and is empty while another one is
/// signed in. ``RecordForm`` is the form of a record that the kit stores.
///
/// ```swift
/// form = DraftForm(session) { DraftForm.Loaded(try await repository.address(), of: session.user?.id) }
///
/// func save() async throws -> ActionResult {
///     let saved = try await form.save { [repository] changes, _ in try await repository.store(changes) }
///     return .leave("Saved the address in \(saved.city).")
/// }
/// ```
@MainActor
@Observable
public final class DraftForm<Item: Record> {
    /// The values that are stored, as a form begins with them.
    public struct Loaded: Sendable {
        let item: Item
        let account: String?
        let asOf: Timestamp?

        /// Names the account whose values they are; `asOf` is when they were last seen, if the service can't be
        /// reached now.
        public init(_ item: Item, of account: String?, asOf: Timestamp? = nil) {
            (self.item, self.account, self.asOf) = (item, account, asOf)
        }
    }

    private typealias Attempt = (draft: RecordDraft<Item>, account: String?)

    public private(set) var isSaving = false
    /// The failure of a save whose caller was cancelled, until the next save or ``reset(_:)``.
    public private(set) var backgroundFailure: LoadFailure?
    private var owned: OwnedDraft<Item>
    @ObservationIgnored private let session: SessionState
    @ObservationIgnored private let words: (action: String, participle: String)
    @ObservationIgnored private let read: @MainActor () async throws -> Loaded

    /// Creates a form; `action` is the one that stores it, `participle` what it is then, and `read` reads the
    /// stored values.
    public init(
        _ session: SessionState, action: String = "save", participle: String = "saved",
        read: @escaping @MainActor () async throws -> Loaded
    ) {
        (self.session, self.read, words) = (session, read, (action, participle))
        owned = OwnedDraft { session.user?.id }
    }

    public var draft: RecordDraft<Item> { owned.draft }
    /// When the stored values were last seen, if the service can't be reached now.
    public var asOf: Timestamp? { if case .stored(let asOf) = owned.origin { asOf } else { nil } }

    /// Loads what is stored; what the user has filled in stays, what another one has filled in is dropped.
    public func load() async throws {
        let present = try await read()
        owned.load(present.item, of: present.account, asOf: present.asOf)
    }

    /// Takes over values that another screen or host has stored for an account.
    public func take(_ item: Item, of account: String?) {
        if owned.belongs(to: account) { owned.load(item, of: account) }
    }

    /// Sets a field to typed text.
    ///
    /// - Throws: ``ValidationError`` if the text can't be its value; the form then says so.
    public func set(_ name: String, to text: String) async throws -> ActionResult {
        try await prepare()
        try owned.draft.set(name, to: text)
        return .updated("Set the \(Item.fields[name]?.label.lowercased() ?? name).")
    }

    /// Drops what was filled in, in one field or in all.
    public func reset(_ name: String? = nil) async throws -> ActionResult {
        try await prepare()
        try owned.draft.reset(name.map { [$0] })
        backgroundFailure = nil
        let part = name.flatMap { Item.fields[$0] }.map { " in the \($0.label.lowercased())" } ?? ""
        return .updated("The form shows what is stored\(part).")
    }

    /// Stores the form, with `texts` over what is filled in; returns what was stored.
    ///
    /// `store` gets the changes and the account of the form, and checks the rules. No caller can cancel it; what is
    /// filled in meanwhile stays.
    ///
    /// - Throws: ``ServiceError`` `changedMeanwhile`, once, if others changed one of the fields;
    ///   `CancellationError` if the caller is cancelled, also while `store` continues: ``isSaving`` is then true.
    public func save(
        _ texts: [String: String] = [:],
        by store: @escaping @MainActor (RecordChanges<Item>, _ account: String?) async throws -> Item
    ) async throws -> Item {
        guard !isSaving else { throw ServiceError.isBeingSaved(Item.fields.noun) }
        let promise = Promise<Item>()
        guard let ticket = promise.join() else { throw CancellationError() }
        (isSaving, backgroundFailure) = (true, nil)
        let account: String?
        do {
            let attempt = try await attempt(texts)
            account = attempt.account
            // Not owned by the command: one that is cancelled must not lose the input.
            Task.immediate {
                let result: Result<Item, any Error>
                do {
                    result = .success(try await store(attempt.draft.changes, attempt.account))
                } catch {
                    result = .failure(error)
                }
                self.settle(attempt, result, isAwaited: promise.waiterCount > 0)
                promise.settle(result)
            }
        } catch {
            isSaving = false
            throw error
        }
        do {
            return try await promise.value(for: ticket)
        } catch let error as ServiceError where error.code == .changedMeanwhile {
            try? await load()
            throw owned.refusal(to: account, of: words.action) ?? error
        }
    }

    /// A copy of the draft with `texts` over its values; the form shows what is wrong with them.
    private func attempt(_ texts: [String: String]) async throws -> Attempt {
        try await prepare()
        try owned.draft.prepareToSave(by: words.action)
        var draft = owned.draft
        do {
            try draft.set(texts)
        } catch let error as ValidationError {
            owned.draft.show(error)
            throw error
        }
        return (draft, owned.owner)
    }

    private func settle(_ attempt: Attempt, _ result: Result<Item, any Error>, isAwaited: Bool) {
        isSaving = false
        switch result {
        case .success(let stored):
            owned.change(of: attempt.account) { $0.settle(stored, from: attempt.draft) }
        case .failure(let error):
            if !isAwaited { backgroundFailure = LoadFailure(error) }
            if let error = error as? ValidationError { owned.change(of: attempt.account) { $0.show(error) } }
        }
    }

    /// Loads the form for the present user, unless that is done.
    private func prepare() async throws {
        guard Item.guards.isEmpty || session.isSignedIn else { throw ServiceError.notAuthenticated }
        if owned.origin == .unread {
            owned.beginAnew()
            try await load()
        }
        guard !owned.isOutdated else { throw ServiceError.notAuthenticated }
    }
}

extension DraftForm {
    /// The input that is not stored yet, without secrets; nil if there is none.
    public var savedState: RecordInput? { owned.savedState }
    /// Restores saved input; drops a text that is no longer a value of its field.
    public func restore(_ input: RecordInput?) { owned.restore(input) }
    /// The reason not to leave the form: its input is not stored.
    public var leaveObjections: [LeaveObjection] {
        draft.leaveObjections(words.participle, action: words.action)
    }
}
