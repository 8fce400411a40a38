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

    private struct Form {
        let account: String?
        var draft = RecordDraft<Item>()
        var asOf: Timestamp?
        var isLoaded = false

        mutating func load(_ item: Item, asOf: Timestamp? = nil) {
            draft.load(item)
            (self.asOf, isLoaded) = (asOf, true)
        }
    }

    public private(set) var isSaving = false
    /// The failure of a save whose caller was cancelled, until the next save or ``reset(_:)``.
    public private(set) var backgroundFailure: LoadFailure?
    /// The form loaded last, for any account; only ``form`` may be shown.
    private var loaded: Form?
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
    }

    private var user: String? { owner(session.user?.id) }
    /// The account that a form belongs to: nil for an unguarded record, which everyone shares.
    private func owner(_ account: String?) -> String? { Item.guards.isEmpty ? nil : account }
    private var form: Form? { loaded.flatMap { $0.account == user ? $0 : nil } }
    /// The account whose form is shown; nil before it is loaded or filled in.
    public var account: String? { form?.account }
    public var draft: RecordDraft<Item> { form?.draft ?? RecordDraft() }
    /// When the stored values were last seen, if the service can't be reached now.
    public var asOf: Timestamp? { form?.asOf }
    public var leaveObjections: [LeaveObjection] {
        draft.leaveObjections(words.participle, action: words.action)
    }

    /// Loads what is stored; what the user has filled in stays, what another one has filled in is dropped.
    public func load() async throws {
        let present = try await read()
        let account = owner(present.account)
        var form = loaded.flatMap { $0.account == account ? $0 : nil } ?? Form(account: account)
        form.load(present.item, asOf: present.asOf)
        loaded = form
    }

    /// Takes over values that another screen or host has stored for an account.
    public func take(_ item: Item, of account: String?) { change(account) { $0.load(item) } }

    /// Sets a field to typed text.
    ///
    /// - Throws: ``ValidationError`` if the text can't be its value; the form then says so.
    public func set(_ name: String, to text: String) async throws -> ActionResult {
        var form = try await presentForm()
        defer { loaded = form }
        try form.draft.set(name, to: text)
        return .updated("Set the \(Item.fields[name]?.label.lowercased() ?? name).")
    }

    /// Drops what was filled in, in one field or in all.
    public func reset(_ name: String? = nil) async throws -> ActionResult {
        var form = try await presentForm()
        try form.draft.reset(name.map { [$0] })
        (loaded, backgroundFailure) = (form, nil)
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
        do {
            let attempt = try await attempt(texts)
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
            throw loaded?.draft.refusal(of: words.action) ?? error
        }
    }

    /// A copy of the form with `texts` over its values; the form shows what is wrong with them.
    private func attempt(_ texts: [String: String]) async throws -> Form {
        var form = try await presentForm()
        defer { loaded = form }
        try form.draft.prepareToSave(by: words.action)
        var attempt = form
        do {
            try attempt.draft.set(texts)
        } catch let error as ValidationError {
            form.draft.show(error)
            throw error
        }
        return attempt
    }

    private func settle(_ attempt: Form, _ result: Result<Item, any Error>, isAwaited: Bool) {
        isSaving = false
        switch result {
        case .success(let stored):
            change(attempt.account) { $0.draft.settle(stored, from: attempt.draft) }
        case .failure(let error):
            if !isAwaited { backgroundFailure = LoadFailure(error) }
            if let error = error as? ValidationError { change(attempt.account) { $0.draft.show(error) } }
        }
    }

    /// The form of the present user, loaded if necessary.
    private func presentForm() async throws -> Form {
        guard Item.guards.isEmpty || session.isSignedIn else { throw ServiceError.notAuthenticated }
        if form?.isLoaded != true {
            if form == nil { loaded = nil }
            try await load()
        }
        guard let form else { throw ServiceError.notAuthenticated }
        return form
    }

    /// Changes the form of an account, unless it was replaced by another account's.
    private func change(_ account: String?, _ change: (inout Form) -> Void) {
        guard var form = loaded, form.account == owner(account) else { return }
        change(&form)
        loaded = form
    }

    /// Fills in what an account's form saved by ``RecordDraft/savedState``.
    public func restore(_ input: RecordInput?, of account: String?) {
        loaded = Form(account: owner(account))
        loaded?.draft.restore(input)
    }
}
