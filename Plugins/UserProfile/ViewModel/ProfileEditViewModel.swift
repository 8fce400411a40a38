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
    /// Whether the form is being submitted; it can't be submitted a second time meanwhile.
    private(set) var isSaving = false
    /// Why the form could not be submitted; nil while that is tried, and once it went well.
    private(set) var failure: (any Error)?
    /// What a person has to know of the last submission; nil once they have answered.
    private(set) var warning: BusinessError?
    /// The form of whoever loaded it last, signed in or not; only ``form`` is to be shown.
    private var kept: ProfileFormState?
    /// What the last save stored; nil where it stored nothing.
    private var saved: ProfileChange?
    /// What went wrong after the last save had stored the profile.
    private var untold: BusinessError?

    init(repository: UserProfileRepository, session: SessionState, navigator: any Navigator) {
        self.repository = repository
        self.session = session
        self.navigator = navigator
    }

    /// The form of the signed-in person; nil where nobody is signed in, and before it is loaded for them.
    private var form: ProfileFormState? {
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
    /// The service is asked each time: a form that started from what was known minutes ago would take back
    /// what was changed since.
    ///
    /// - Throws: ``AuthenticationError`` where nobody is signed in, or another account since it was asked.
    func load() async throws {
        let (user, profile) = try await repository.profile(reloads: true)
        guard let present = session.user else { throw AuthenticationError.notAuthenticated }
        guard present.id == user.id else { throw AuthenticationError.anotherAccount }
        if kept?.account != user.id { kept = ProfileFormState(account: user.id) }
        kept?.stored = profile ?? Profile()
    }

    /// Sets one field of the form.
    ///
    /// - Throws: ``ValidationError`` where the field does not accept the value; the form stays as it is and
    ///   shows why beside the field. ``AuthenticationError`` where nobody is signed in.
    func set(_ field: ProfileField, to text: String) async throws -> ActionResult {
        var form = try await presentForm()
        defer { kept = form }
        try form.set(field, to: text)
        return .updated("Set the \(field.words).")
    }

    /// Submits the form, with `overrides` before what was set, and leaves with the profile as the result.
    ///
    /// A profile that is stored is done with: where only its notification could not be sent, a person at the
    /// form is told, and leaves when they have answered. Elsewhere, as in a script, that is an error.
    ///
    /// - Throws: What ``UserProfileRepository/submit(_:ofAccount:)`` throws; the form stays as it is,
    ///   without the overrides, and shows what is wrong beside the fields.
    ///   ``BusinessError/submissionUnderWay`` where it is being submitted already.
    func submit(_ overrides: ProfileChanges = ProfileChanges()) async throws -> ActionResult {
        guard !isSaving else { throw BusinessError.submissionUnderWay }
        guard await save(overrides), let saved else { throw failure ?? CancellationError() }
        if let untold, saved.account == session.user?.id { try await tell(untold) }
        return try .leave(
            "Submitted the profile of \(saved.profile.fullName).", returning: saved.profile,
            showing: ProfileDestination())
    }

    /// Submits the form, with `overrides` before what was set, and stays.
    ///
    /// - Returns: Whether the profile is stored; ``failure`` says why not. False at once, and without another
    ///   submission, while one is under way.
    func save(_ overrides: ProfileChanges = ProfileChanges()) async -> Bool {
        guard !isSaving else { return false }
        isSaving = true
        defer { isSaving = false }
        (failure, saved, untold) = (nil, nil, nil)
        do {
            try await store(overrides)
            return true
        } catch {
            failure = error
            return false
        }
    }

    private func store(_ overrides: ProfileChanges) async throws {
        var form = try await presentForm()
        var attempt = form
        attempt.changes = form.changes.replaced(by: overrides)
        do {
            // Asked also where fields are wrong: the repository has the last word, and says all of it.
            try await repository.submit(attempt.draft, ofAccount: form.account)
        } catch let error as ValidationError {
            _ = attempt.validate()
            attempt.show(error.findings)
            form.problems = attempt.problems
            keep(form)
            throw error
        } catch let error as BusinessError where error.code == .notificationFailed {
            untold = error
        }
        form.stored = attempt.draft
        form.reset()
        keep(form)
        saved = ProfileChange(account: form.account, profile: attempt.draft)
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
    private func presentForm() async throws -> ProfileFormState {
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
    private func keep(_ form: ProfileFormState) {
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
        kept = state.account.map { ProfileFormState(account: $0, changes: state.changes) }
    }
}
