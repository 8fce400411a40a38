import AtriumKit
import Observation

/// The form for the profile of the signed-in person.
///
/// What was set is kept with the stack entry until it is submitted; of another person it is forgotten.
@MainActor
@Observable
final class ProfileEditViewModel: ViewModel {
    /// The profile as it is stored; empty where none was submitted yet.
    private(set) var stored = Profile()
    /// What was set and not submitted.
    private(set) var changes = ProfileChanges()
    /// What is wrong with a field, for a message beside it.
    private(set) var problems: [ProfileField: String] = [:]

    private let repository: UserProfileRepository
    /// Whose changes these are; nil before the first ``load()``.
    private var account: String?

    init(repository: UserProfileRepository) {
        self.repository = repository
    }

    /// The profile as it would be submitted.
    var draft: Profile { changes.applied(to: stored) }

    /// The fields in which the draft differs from what is stored, in the order of the form.
    var unsaved: [ProfileField] {
        let draft = draft
        return ProfileField.allCases.filter { draft.text(of: $0) != stored.text(of: $0) }
    }

    func load() async throws {
        let (user, profile) = try await repository.profile()
        if account != user.id {
            if account != nil { reset() }
            account = user.id
        }
        stored = profile ?? Profile()
    }

    /// Sets one field of the form.
    ///
    /// - Throws: ``ValidationError`` where the field does not accept the value; the form stays as it is and
    ///   shows why beside the field.
    func set(_ field: ProfileField, to text: String) throws -> ActionResult {
        do {
            let changed = try changes.setting(field, to: text)
            let findings = changed.applied(to: stored).validate(field)
            guard findings.isEmpty else { throw ValidationError(findings: findings) }
            changes = changed
            problems[field] = nil
        } catch let error as ValidationError {
            show(error.findings)
            throw error
        }
        return .updated("Set the \(field.words).")
    }

    /// Submits the form, with `overrides` before what was set.
    ///
    /// - Throws: What ``UserProfileRepository/submit(_:)`` throws; the form stays as it is, without the
    ///   overrides, and shows what is wrong beside the fields.
    func submit(_ overrides: ProfileChanges = ProfileChanges()) async throws -> ActionResult {
        let submitted = changes.replaced(by: overrides).applied(to: stored)
        do {
            try await repository.submit(submitted)
        } catch let error as ValidationError {
            problems = [:]
            show(error.findings)
            throw error
        }
        stored = submitted
        reset()
        return .leave("Submitted the profile of \(submitted.fullName).", showing: ProfileDestination())
    }

    /// Forgets what was set.
    func reset() {
        changes = ProfileChanges()
        problems = [:]
    }

    private func show(_ findings: [ValidationFinding]) {
        for (field, found) in Dictionary(grouping: findings, by: \.field) {
            problems[field] = found.map(\.message).joined(separator: " ")
        }
    }
}

extension ProfileEditViewModel {
    /// What is kept with the stack entry.
    struct SavedState: Codable, Hashable, Sendable {
        let account: String?
        let changes: ProfileChanges
    }

    var savedState: SavedState { SavedState(account: account, changes: changes) }

    func restore(_ state: SavedState) {
        account = state.account
        changes = state.changes
    }
}
