import AtriumKit
import Observation

/// The form for the profile of the signed-in person.
///
/// What was set is kept with the stack entry until it is submitted. It belongs to the account for which the
/// form was loaded: nothing of it is shown, kept or submitted while another account is signed in.
@MainActor
@Observable
final class ProfileEditViewModel: ViewModel {
    private let repository: UserProfileRepository
    private let session: SessionState
    private let navigator: any Navigator
    /// What a person has to know of the last submission; nil once they have answered.
    private(set) var warning: BusinessError?
    /// The form of whoever loaded it last, signed in or not; only ``form`` is to be shown.
    private var kept: ProfileForm?

    init(repository: UserProfileRepository, session: SessionState, navigator: any Navigator) {
        self.repository = repository
        self.session = session
        self.navigator = navigator
    }

    /// The form of the signed-in person; nil where nobody is signed in, and before it is loaded for them.
    private var form: ProfileForm? {
        kept?.account == session.user?.id ? kept : nil
    }

    /// The profile as it is stored; empty where none was submitted yet.
    var stored: Profile { form?.stored ?? Profile() }

    /// What was set and not submitted.
    var changes: ProfileChanges { form?.changes ?? ProfileChanges() }

    /// What is wrong with a field, for a message beside it.
    var problems: [ProfileField: String] { form?.problems ?? [:] }

    /// The profile as it would be submitted.
    var draft: Profile { form?.draft ?? Profile() }

    /// The fields in which the draft differs from what is stored, in the order of the form.
    var unsaved: [ProfileField] {
        let (draft, stored) = (draft, stored)
        return ProfileField.allCases.filter { draft.text(of: $0) != stored.text(of: $0) }
    }

    /// Whether a person is at the form; false where it is submitted from elsewhere.
    private var isCurrent: Bool {
        session.navigationState.links.last == ProfileEditDestination.pattern.description
    }

    /// What is not submitted, by name; nothing of a form that was filled in for another account.
    var leaveObjections: [LeaveObjection] {
        // Before it is loaded, nobody knows what is stored.
        let fields = form?.stored == nil ? changes.fields : unsaved
        guard !fields.isEmpty else { return [] }
        let verb = fields.count == 1 ? "is" : "are"
        return [LeaveObjection("\(ProfileField.subject(fields)) \(verb) not submitted.", hint: "submit")]
    }

    /// Brings what is stored up to date; what was set by another person is forgotten.
    ///
    /// - Throws: ``AuthenticationError`` where nobody is signed in, or another account since it was asked.
    func load() async throws {
        let (user, profile) = try await repository.profile()
        guard let present = session.user else { throw AuthenticationError.notAuthenticated }
        guard present.id == user.id else { throw AuthenticationError.anotherAccount }
        if kept?.account != user.id { kept = ProfileForm(account: user.id) }
        kept?.stored = profile ?? Profile()
    }

    /// Sets one field of the form.
    ///
    /// - Throws: ``ValidationError`` where the field does not accept the value; the form stays as it is and
    ///   shows why beside the field. ``AuthenticationError`` where nobody is signed in.
    func set(_ field: ProfileField, to text: String) async throws -> ActionResult {
        var form = try await presentForm()
        defer { kept = form }
        do {
            var changed = form
            changed.changes = try form.changes.setting(field, to: text)
            let findings = changed.draft.validate(field)
            guard findings.isEmpty else { throw ValidationError(findings: findings) }
            changed.problems[field] = nil
            form = changed
        } catch let error as ValidationError {
            form.show(error.findings)
            throw error
        }
        return .updated("Set the \(field.words).")
    }

    /// Submits the form, with `overrides` before what was set, and leaves.
    ///
    /// A profile that is stored is done with: where only its notification could not be sent, a person at the
    /// form is told, and leaves when they have answered. Elsewhere, as in a script, that is an error.
    ///
    /// - Throws: What ``UserProfileRepository/submit(_:ofAccount:)`` throws; the form stays as it is,
    ///   without the overrides, and shows what is wrong beside the fields.
    func submit(_ overrides: ProfileChanges = ProfileChanges()) async throws -> ActionResult {
        var form = try await presentForm()
        let submitted = form.changes.replaced(by: overrides).applied(to: form.stored ?? Profile())
        var warning: BusinessError?
        do {
            try await repository.submit(submitted, ofAccount: form.account)
        } catch let error as ValidationError {
            form.problems = [:]
            form.show(error.findings)
            keep(form)
            throw error
        } catch let error as BusinessError where error.code == .notificationFailed {
            warning = error
        }
        form.stored = submitted
        form.reset()
        keep(form)
        if let warning, form.account == session.user?.id { try await tell(warning) }
        return .leave("Submitted the profile of \(submitted.fullName).", showing: ProfileDestination())
    }

    /// Presents what a person at the form has to know, and forgets it when they have answered.
    private func tell(_ warning: BusinessError) async throws {
        // The repository stopped at the notification: the session does not have the name of the profile yet.
        try? await load()
        guard isCurrent else { throw warning }
        self.warning = warning
        defer { self.warning = nil }
        try await navigator.alert(Alert(warning, title: "Your profile is stored"))
    }

    /// Forgets what was set.
    ///
    /// - Throws: ``AuthenticationError`` where nobody is signed in.
    func reset() async throws -> ActionResult {
        var form = try await presentForm()
        form.reset()
        kept = form
        return .updated("The form shows what is stored.")
    }

    /// The form of the signed-in person, loaded where what is kept is another's or was never loaded.
    private func presentForm() async throws -> ProfileForm {
        guard session.isSignedIn else { throw AuthenticationError.notAuthenticated }
        if form?.stored == nil {
            forgetOthers()
            try await load()
        }
        guard let form else { throw AuthenticationError.anotherAccount }
        return form
    }

    private func forgetOthers() {
        if form == nil { kept = nil }
    }

    /// Keeps `form`, unless another account's took its place meanwhile.
    private func keep(_ form: ProfileForm) {
        if kept?.account == form.account { kept = form }
    }
}

extension ProfileEditViewModel {
    /// What is kept with the stack entry.
    struct SavedState: Codable, Hashable, Sendable {
        let account: String?
        let changes: ProfileChanges
    }

    /// What the signed-in person set; nothing of anybody else.
    var savedState: SavedState { SavedState(account: form?.account, changes: changes) }

    func restore(_ state: SavedState) {
        kept = state.account.map { ProfileForm(account: $0, changes: state.changes) }
    }
}
