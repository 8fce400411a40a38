import AtriumKit
import Observation

/// The form for a new entity; what was filled in is kept with the stack entry until it is saved.
@MainActor
@Observable
final class NewEntityViewModel: ViewModel {
    private(set) var draft = EntityDraft()
    /// What is wrong with a field, for a message beside it.
    private(set) var problems: [EntityField: String] = [:]

    private let repository: EntityRepository

    init(repository: EntityRepository) {
        self.repository = repository
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

    /// Creates the entity.
    ///
    /// - Throws: ``ValidationError`` with every rule that the form breaks; the form stays as it is and shows
    ///   them beside the fields.
    func save() async throws -> ActionResult {
        problems = [:]
        try check(draft.validate())
        let entity = try await repository.create(draft)
        reset()
        return .leave("Created '\(entity.name)'.", showing: EntityDetail(id: entity.id))
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
}
