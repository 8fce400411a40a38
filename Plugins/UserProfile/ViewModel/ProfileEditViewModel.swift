import AtriumKit
import Observation

/// The form for the profile of the signed-in person.
///
/// What was set is kept with the stack entry until it is submitted, with what the person knew of the profile
/// when they set it. It belongs to the account for which the form was loaded: nothing of it is shown, kept or
/// submitted while another account is signed in.
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
    /// Why the last submission failed, where nobody waited for it any more.
    private(set) var missed: LoadFailure?
    /// When what is stored was last seen at the service, where that can't be asked now.
    private var loadedAsOf: Timestamp?
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
        repository.observe(self) { viewModel, change in viewModel.take(change) }
    }

    /// The form of the signed-in person; nil where nobody is signed in, and before it is loaded for them.
    private var form: ProfileFormState? {
        kept?.account == session.user?.id ? kept : nil
    }

    /// The profile as it is stored; empty where none was submitted yet.
    var stored: Profile { form?.stored?.profile ?? Profile() }

    /// What was set and not submitted.
    var changes: ProfileChanges { form?.changes ?? ProfileChanges() }

    /// What is wrong with a field, for a message beside it.
    var problems: [ProfileField: String] { form?.problems ?? [:] }

    /// The fields that were changed elsewhere while they were being changed here, with what is stored in each.
    var contested: [ProfileField: String?] { form?.contested ?? [:] }

    /// When what the form shows as stored was last seen at the service, where that can't be asked now.
    var asOf: Timestamp? { form == nil ? nil : loadedAsOf }

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
    /// The service is asked each time, so that the form starts from what is stored, not from what was known
    /// minutes ago.
    ///
    /// - Throws: ``AuthenticationError`` where nobody is signed in, or another account since it was asked.
    func load() async throws {
        let known = try await repository.profile(reloads: true)
        guard let present = session.user else { throw AuthenticationError.notAuthenticated }
        guard present.id == known.user.id else { throw AuthenticationError.anotherAccount }
        if kept?.account != known.user.id { kept = ProfileFormState(account: known.user.id) }
        kept?.load(known.stored ?? .none)
        loadedAsOf = known.asOf
    }

    /// Takes what was submitted here or in another form.
    private func take(_ change: ProfileChange) {
        guard kept?.account == change.account else { return }
        kept?.load(change.stored)
        loadedAsOf = nil
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
    /// - Throws: What ``UserProfileRepository/begin(_:whenSettled:)`` fails with; the form stays as it is,
    ///   without the overrides, and shows what is wrong beside the fields.
    ///   ``BusinessError/submissionUnderWay`` where it is being submitted already;
    ///   ``BusinessError/goesOn`` where the calling task is cancelled meanwhile.
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
        (failure, saved, untold, missed) = (nil, nil, nil, nil)
        do {
            try await store(overrides)
            return true
        } catch {
            failure = error
            return false
        }
    }

    private func store(_ overrides: ProfileChanges) async throws {
        let submission: Submission
        do {
            var attempt = try await presentForm()
            attempt.changes = attempt.changes.replaced(by: overrides)
            // Asked also where fields are wrong: the repository has the last word, and says all of it.
            submission = repository.begin(attempt.edit) { [weak self] outcome, isAwaited in
                self?.settle(attempt, outcome, isAwaited: isAwaited)
            }
        } catch {
            isSaving = false
            throw error
        }
        do {
            _ = try await submission.value()
        } catch is CancellationError where !submission.isSettled {
            throw BusinessError.goesOn
        }
    }

    /// Takes what became of a submission, in the turn in which that is known.
    private func settle(
        _ attempt: ProfileFormState, _ outcome: Submission.Outcome, isAwaited: Bool
    ) {
        isSaving = false
        switch outcome {
        case .success(let submitted):
            (saved, untold) = (submitted.change, submitted.untold)
            if !isAwaited { warning = submitted.untold }
            change(attempt.account) { $0.settle(attempt.changes, stored: submitted.change.stored) }
        case .failure(let error):
            if !isAwaited { missed = LoadFailure(error) }
            change(attempt.account) { $0.show(error, of: attempt) }
        }
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

    /// Forgets what was set in a field; in all of them where none is named.
    ///
    /// - Throws: ``AuthenticationError`` where nobody is signed in.
    func reset(_ field: ProfileField? = nil) async throws -> ActionResult {
        var form = try await presentForm()
        form.reset(field.map { [$0] } ?? ProfileField.allCases)
        kept = form
        missed = nil
        let part = field.map { " in the \($0.words)" } ?? ""
        return .updated("The form shows what is stored\(part).")
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

    /// Changes the form of an account, unless another account's took its place meanwhile.
    private func change(_ account: String, _ change: (inout ProfileFormState) -> Void) {
        guard var form = kept, form.account == account else { return }
        change(&form)
        kept = form
    }
}

extension ProfileEditViewModel {
    /// What is kept with the stack entry.
    struct SavedState: Codable, Hashable, Sendable {
        let account: String?
        let changes: ProfileChanges
        /// What the person knew to be stored when they set it; nil where they have not seen it.
        var known: Profile?
    }

    /// What the signed-in person set; nothing of anybody else.
    var savedState: SavedState {
        SavedState(account: form?.account, changes: changes, known: form?.known)
    }

    func restore(_ state: SavedState) {
        kept = state.account.map {
            ProfileFormState(account: $0, changes: state.changes, known: state.known)
        }
    }
}
