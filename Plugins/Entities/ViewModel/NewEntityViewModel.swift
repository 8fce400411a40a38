import AtriumKit
import Observation

/// The form for a new entity; what was filled in is kept with the stack entry until it is saved.
@MainActor
@Observable
final class NewEntityViewModel: ViewModel {
    /// Where the category arrives that was chosen.
    static let chosenCategory = ResultSlot<String>("chosenCategory")

    private(set) var form = EntityFormState()
    /// Whether the service was asked to create the entity, and has not answered yet.
    private(set) var isSaving = false
    /// What was saved last; nil before.
    private(set) var saved: Entity?
    /// Why it was not saved; nil since the next attempt.
    @ObservationIgnored private(set) var failure: (any Error)?

    private let model: EntityModel
    private let navigator: any Navigator

    init(model: EntityModel, navigator: any Navigator) {
        self.model = model
        self.navigator = navigator
    }

    var draft: EntityDraft { form.draft }
    /// What is wrong with a field, for a message beside it.
    var problems: [EntityField: String] { form.problems }

    /// Sets one field of the form.
    ///
    /// - Throws: ``ValidationError`` where the field does not accept the value; the form stays as it is and
    ///   shows why beside the field.
    func set(_ field: EntityField, to text: String) throws -> ActionResult {
        try form.set(field, to: text)
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
    func submit() async throws -> ActionResult {
        guard !isSaving else { throw EntityError.isBeingSaved }
        guard await save(), let saved else { throw failure ?? CancellationError() }
        return try .leave(
            "Created '\(saved.name)'.", returning: saved.id, showing: EntityDetail(id: saved.id))
    }

    /// Creates the entity, and empties the form; where it is being saved already, nothing is done.
    ///
    /// Who is cancelled meanwhile stops waiting: the form is being saved until the service has answered, and
    /// is emptied then, so that it can't be saved twice.
    ///
    /// - Returns: Whether it was created, as ``saved``; else ``failure`` says why.
    func save() async -> Bool {
        guard !isSaving else { return false }
        (saved, failure) = (nil, nil)
        do {
            let outcome = try begin()
            _ = try await outcome.value()
            return true
        } catch {
            failure = error
            return false
        }
    }

    /// Forgets what was filled in.
    func reset() {
        form = EntityFormState()
    }

    private func begin() throws -> Outcome<Entity> {
        guard form.validate() else { throw ValidationError(findings: draft.validate()) }
        let outcome = try model.beginCreating(draft)
        isSaving = true
        outcome.whenSettled { [weak self] in self?.end($0) }
        return outcome
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

    func restore(_ state: EntityDraft) {
        form = EntityFormState(state)
    }

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
