import AtriumKit
import Observation

/// The form for a new entity; what was filled in is kept with the stack entry until it is saved.
@MainActor
@Observable
final class NewEntityViewModel: ViewModel {
    /// Where the category arrives that was chosen.
    static let chosenCategory = ResultSlot<String>("chosenCategory")

    private(set) var draft = EntityDraft()
    /// What is wrong with a field, for a message beside it.
    private(set) var problems: [EntityField: String] = [:]
    /// Whether the service was asked to create the entity, and has not answered yet.
    private(set) var isSaving = false

    private let repository: EntityRepository
    private let navigator: any Navigator

    init(repository: EntityRepository, navigator: any Navigator) {
        self.repository = repository
        self.navigator = navigator
    }

    /// Sets one field of the form.
    ///
    /// - Throws: ``ValidationError`` where the field does not accept the value; the form stays as it is and
    ///   shows why beside the field.
    func set(_ field: EntityField, to text: String) throws -> ActionResult {
        let changed = draft.setting(field, to: text)
        try check(field.findings(in: changed.text(of: field) ?? ""))
        draft = changed
        problems[field] = nil
        return .updated("Set the \(field.rawValue).")
    }

    /// Fills in a category that is chosen from all; the form stays as it is where none was.
    func chooseCategory() async throws -> ActionResult {
        let category = try await navigator.present(CategoryPicker(), for: Self.chosenCategory)
        guard let category else { return .updated }
        return try set(.category, to: category)
    }

    func receive(_ result: ReturnedResult) async throws {
        if let category = try result.value(in: Self.chosenCategory) { _ = try set(.category, to: category) }
    }

    /// Creates the entity, and leaves the form: for the entity, or for whoever presented it.
    ///
    /// - Throws: ``ValidationError`` with every rule that the form breaks; the form stays as it is and shows
    ///   them beside the fields. ``EntityError/isBeingSaved`` where an earlier save is not done.
    func save() async throws -> ActionResult {
        guard !isSaving else { throw EntityError.isBeingSaved }
        isSaving = true
        defer { isSaving = false }
        problems = [:]
        try check(draft.validate())
        let entity = try await repository.create(draft)
        reset()
        return try .leave(
            "Created '\(entity.name)'.", returning: entity.id, showing: EntityDetail(id: entity.id))
    }

    /// Forgets what was filled in.
    func reset() {
        draft = EntityDraft()
        problems = [:]
    }

    private func check(_ findings: [ValidationFinding]) throws {
        for (name, found) in Dictionary(grouping: findings, by: \.field) {
            guard let field = EntityField(rawValue: name) else { continue }
            problems[field] = found.map(\.message).joined(separator: " ")
        }
        try ValidationError.check(findings)
    }
}

extension NewEntityViewModel {
    var savedState: EntityDraft { draft }

    func restore(_ state: EntityDraft) {
        draft = state
    }

    var leaveObjections: [LeaveObjection] {
        let filled = EntityField.allCases.filter { draft.text(of: $0) != nil }
        guard let first = filled.first else { return [] }
        let reason =
            switch (filled.count, first) {
            case (1, .notes): "The notes are not saved."
            case (1, _): "The \(first.rawValue) is not saved."
            default: "\(filled.count) fields are not saved."
            }
        return [LeaveObjection(reason, hint: "save")]
    }
}
