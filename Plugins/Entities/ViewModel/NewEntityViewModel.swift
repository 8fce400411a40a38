import AtriumKit
import Observation

/// The form for a new entity; its input is kept with the stack entry until it is saved.
@MainActor
@Observable
final class NewEntityViewModel: ViewModel {
    static let chosenCategory = ResultSlot<String>("chosenCategory")

    private(set) var form = EntityFormState()
    private(set) var isSaving = false
    private(set) var saved: Entity?
    @ObservationIgnored private(set) var failure: (any Error)?

    private let model: EntityModel
    private let navigator: any Navigator

    init(model: EntityModel, navigator: any Navigator) {
        self.model = model
        self.navigator = navigator
    }

    var draft: EntityDraft { form.draft }
    var problems: [EntityField: String] { form.problems }

    func set(_ field: EntityField, to text: String) throws -> ActionResult {
        try form.set(field, to: text)
        return .updated("Set the \(field.rawValue).")
    }

    func chooseCategory() async throws -> ActionResult {
        let category = try await navigator.present(CategoryPicker(), for: Self.chosenCategory)
        guard let category else { return .updated }
        return try set(.category, to: category)
    }

    func receive(_ result: ReturnedResult) async throws {
        if let category = try result.value(in: Self.chosenCategory) { _ = try set(.category, to: category) }
    }

    /// Creates the entity, and leaves the form for the entity or the screen that presented it.
    func submit() async throws -> ActionResult {
        guard !isSaving else { throw ServiceError.isBeingSaved }
        guard await save(), let saved else { throw failure ?? CancellationError() }
        return try .leave(
            "Created '\(saved.name)'.", returning: saved.id, showing: EntityDetail(id: saved.id))
    }

    /// Creates the entity and empties the form; does nothing during an earlier save.
    ///
    /// A cancelled caller stops waiting, but the save continues and finally empties the form, so that nothing
    /// is saved twice.
    func save() async -> Bool {
        guard !isSaving else { return false }
        (saved, failure) = (nil, nil)
        do {
            _ = try await begin().value()
            return true
        } catch {
            failure = error
            return false
        }
    }

    func reset() { form = EntityFormState() }

    private func begin() throws -> Promise<Entity> {
        guard form.validate() else { throw ValidationError(findings: draft.validate()) }
        isSaving = true
        return try model.beginCreating(draft) { [weak self] in self?.end($0) }
    }

    private func end(_ result: Result<Entity, any Error>) {
        isSaving = false
        guard case .success(let entity) = result else { return }
        saved = entity
        reset()
    }
}

extension NewEntityViewModel {
    var savedState: EntityDraft { draft }

    func restore(_ state: EntityDraft) { form = EntityFormState(state) }

    var leaveObjections: [LeaveObjection] {
        let filled = form.filled
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
