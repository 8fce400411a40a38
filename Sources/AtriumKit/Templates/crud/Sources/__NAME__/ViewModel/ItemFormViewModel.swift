import AtriumKit
import Observation

/// The form for a new item or an existing one; its input is kept with the stack entry until it is saved.
@MainActor
@Observable
final class ItemFormViewModel: ViewModel {
    static let chosenCategory = ResultSlot<String>("chosenCategory")

    /// The item being edited; nil for a new one.
    let id: Int?
    private(set) var draft = ItemDraft()
    private(set) var problems: [ItemField: String] = [:]
    private(set) var isSaving = false
    /// The stored values.
    private var stored = ItemDraft()
    private let items: ItemRepository
    private let navigator: any Navigator

    init(id: Int?, items: ItemRepository, navigator: any Navigator) {
        self.id = id
        self.items = items
        self.navigator = navigator
    }

    private var isChanged: Bool { draft != stored }

    /// Loads the item being edited; input is kept.
    func load() async throws {
        guard let id else { return }
        let item = try await items.item(id)
        let isChanged = isChanged
        stored = ItemDraft(item)
        if !isChanged { draft = stored }
    }

    func set(_ field: ItemField, to text: String) throws -> ActionResult {
        guard !isSaving else { throw ServiceError.itemIsBeingSaved }
        problems[field] = nil
        do {
            try draft.set(field, to: text)
        } catch let error as ValidationError {
            show(error.findings)
            throw error
        }
        return .updated("Set the \(field.rawValue).")
    }

    /// Sets the category to one chosen on another screen.
    func chooseCategory() async throws -> ActionResult {
        let category = try await navigator.present(CategoryPicker(), for: Self.chosenCategory)
        guard let category else { return .updated }
        return try set(.category, to: category)
    }

    /// Receives a choice made after the process that asked for it had ended.
    func receive(_ result: ReturnedResult) async throws {
        if let category = try result.value(in: Self.chosenCategory) { _ = try set(.category, to: category) }
    }

    func save() async throws -> ActionResult {
        guard !isSaving else { throw ServiceError.itemIsBeingSaved }
        problems = [:]
        show(draft.validate())
        isSaving = true
        defer { isSaving = false }
        let item = if let id { try await items.update(id, draft) } else { try await items.create(draft) }
        stored = draft
        return .leave(
            "\(id == nil ? "Created" : "Saved") '\(item.name)'.", showing: ItemDetail(id: item.id))
    }

    func reset() throws -> ActionResult {
        guard !isSaving else { throw ServiceError.itemIsBeingSaved }
        (draft, problems) = (stored, [:])
        return .updated(id == nil ? "The form is empty." : "The form shows what is stored.")
    }

    private func show(_ findings: [ValidationFinding]) {
        for (name, found) in Dictionary(grouping: findings, by: \.field) {
            guard let field = name.flatMap(ItemField.init) else { continue }
            problems[field] = found.map(\.message).joined(separator: " ")
        }
    }
}

extension ItemFormViewModel {
    /// The input; nil if nothing was changed.
    var savedState: ItemDraft? { isChanged ? draft : nil }

    func restore(_ state: ItemDraft?) {
        if let state { draft = state }
    }

    var leaveObjections: [LeaveObjection] {
        isChanged ? [LeaveObjection("The changes are not saved.", hint: "save")] : []
    }
}
