/// The draft of a form, and the user who loaded it or filled it in; empty while another one is signed in.
///
/// Without ``Record/guards``, it belongs to all users.
@MainActor
struct OwnedDraft<Item: Record> {
    /// The source of the form's initial values.
    enum Origin: Hashable {
        case unread
        /// `asOf` is when they were last seen, if the service can't be reached now.
        case stored(asOf: Timestamp?)
        case deleted
    }

    private let user: @MainActor () -> String?
    /// The account of the user; nil for a guest, and if it belongs to all users.
    private(set) var owner: String?
    private var kept = (draft: RecordDraft<Item>(), origin: Origin.unread)

    /// Creates an empty draft; `account` is that of the present user, observable.
    init(_ account: @escaping @MainActor () -> String?) {
        user = { Item.guards.isEmpty ? nil : account() }
        owner = user()
    }

    /// True if the present user is another one; observable.
    var isOutdated: Bool { owner != user() }
    var origin: Origin { isOutdated ? .unread : kept.origin }

    /// The draft as the present user sees it; changing it drops another user's input.
    var draft: RecordDraft<Item> {
        get { isOutdated ? RecordDraft() : kept.draft }
        set {
            beginAnew()
            kept.draft = newValue
        }
    }

    /// Drops another user's input.
    mutating func beginAnew() { begin(for: user()) }

    private mutating func begin(for newOwner: String?) {
        if owner != newOwner { (owner, kept) = (newOwner, (RecordDraft(), .unread)) }
    }

    /// True if it belongs to the user of an account, or to all users.
    func belongs(to account: String?) -> Bool { Item.guards.isEmpty || owner == account }

    /// True if a former ``owner`` is the present user.
    func isPresent(_ owner: String?) -> Bool { owner == user() }

    /// Takes over the values that are stored for an account; the input of its user stays.
    mutating func load(_ item: Item, of account: String?, asOf: Timestamp? = nil) {
        begin(for: Item.guards.isEmpty ? nil : account)
        kept.draft.load(item)
        kept.origin = .stored(asOf: asOf)
    }

    /// Marks the stored record as deleted; the input stays.
    mutating func markDeleted() { kept.origin = .deleted }

    /// Changes the draft of an account, unless another user's has replaced it.
    mutating func change(of account: String?, _ change: (inout RecordDraft<Item>) -> Void) {
        if belongs(to: account) { change(&kept.draft) }
    }

    /// The reason to refuse a save of an account once: see ``RecordDraft/refusal(of:)``.
    mutating func refusal(to account: String?, of action: String = "save") -> ServiceError? {
        belongs(to: account) ? kept.draft.refusal(of: action) : nil
    }

    /// The input that is not stored yet, with its account and without secrets; nil if there is none.
    var savedState: RecordInput? {
        var input = draft.savedState
        input?.account = owner
        return input
    }

    /// Restores saved input for the user who entered it.
    mutating func restore(_ input: RecordInput?) {
        kept.draft.restore(input)
        if !Item.guards.isEmpty, let account = input?.account { owner = account }
    }
}
