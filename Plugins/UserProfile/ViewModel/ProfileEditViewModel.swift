import AtriumKit
import Observation

/// The form for the profile of the signed-in user.
///
/// The changes are saved with the stack entry until they are submitted. They belong to the account that the
/// form was loaded for: they are not shown, saved or submitted while another account is signed in.
@MainActor
@Observable
final class ProfileEditViewModel: ViewModel {
    private let repository: UserProfileRepository
    private let session: SessionState
    private let navigator: any Navigator
    private(set) var isSaving = false
    private(set) var failure: (any Error)?
    /// A warning about the last submission, until the user has confirmed it.
    private(set) var warning: ServiceError?
    private(set) var backgroundFailure: LoadFailure?
    /// The time when the stored profile was last seen at the service, if it can't be reached now.
    private var loadedAsOf: Timestamp?
    /// The form loaded last, for any account; only ``form`` may be shown.
    private var loadedForm: ProfileFormState?
    private var saved: ProfileChange?
    private var notificationFailure: ServiceError?

    init(repository: UserProfileRepository, session: SessionState, navigator: any Navigator) {
        self.repository = repository
        self.session = session
        self.navigator = navigator
        repository.submitted.add(self) { $0.take($1) }
    }

    /// The form of the signed-in user; nil before it is loaded.
    private var form: ProfileFormState? {
        loadedForm?.account == session.user?.id ? loadedForm : nil
    }

    /// The stored profile; empty if none was submitted yet.
    var stored: Profile { form?.stored?.profile ?? Profile() }
    var changes: ProfileChanges { form?.changes ?? ProfileChanges() }
    var problems: [ProfileField: String] { form?.problems ?? [:] }
    var contested: [ProfileField: String?] { form?.contested ?? [:] }

    /// The time when the stored profile was last seen at the service, if it can't be reached now.
    var asOf: Timestamp? { form == nil ? nil : loadedAsOf }
    var draft: Profile { form?.draft ?? Profile() }

    /// The fields in which the draft differs from the stored profile, in the order of the form.
    var unsaved: [ProfileField] {
        let (draft, stored) = (draft, stored)
        return ProfileField.allCases.filter { draft.text(of: $0) != stored.text(of: $0) }
    }

    private var isCurrent: Bool {
        session.navigationState.links.last == ProfileEditDestination.pattern.description
    }

    var leaveObjections: [LeaveObjection] {
        // Until the form is loaded, the stored profile is unknown.
        let fields = form?.stored == nil ? changes.fields : unsaved
        guard !fields.isEmpty else { return [] }
        let verb = fields.count == 1 ? "is" : "are"
        return [LeaveObjection("\(ProfileField.subject(fields)) \(verb) not submitted.", hint: "submit")]
    }

    /// Loads the stored profile from the service, not from the cache; drops changes of another user.
    func load() async throws {
        let own = try await repository.profile(reloads: true)
        guard let present = session.user else { throw ServiceError.notAuthenticated }
        guard present.id == own.user.id else { throw ServiceError.anotherAccount }
        if loadedForm?.account != own.user.id { loadedForm = ProfileFormState(account: own.user.id) }
        loadedForm?.load(own.stored ?? .none)
        loadedAsOf = own.asOf
    }

    /// Takes over a profile that was submitted here or in another form.
    private func take(_ change: ProfileChange) {
        guard loadedForm?.account == change.account else { return }
        loadedForm?.load(change.stored)
        loadedAsOf = nil
    }

    func set(_ field: ProfileField, to text: String) async throws -> ActionResult {
        var form = try await presentForm()
        defer { loadedForm = form }
        try form.set(field, to: text)
        return .updated("Set the \(field.words).")
    }

    /// Submits the form, with `overrides` over its values, and leaves with the profile as the result.
    ///
    /// If the profile was stored but its notification failed, a user at the form confirms a warning, then
    /// leaves. Elsewhere, as in a script, that is an error.
    func submit(_ overrides: ProfileChanges = ProfileChanges()) async throws -> ActionResult {
        guard !isSaving else { throw ServiceError.submissionUnderWay }
        guard await save(overrides), let saved else { throw failure ?? CancellationError() }
        if let notificationFailure, saved.account == session.user?.id { try await warn(notificationFailure) }
        return try .leave(
            "Submitted the profile of \(saved.profile.fullName).", returning: saved.profile,
            showing: ProfileDestination())
    }

    /// Submits the form, with `overrides` over its values, and stays.
    func save(_ overrides: ProfileChanges = ProfileChanges()) async -> Bool {
        guard !isSaving else { return false }
        isSaving = true
        (failure, saved, notificationFailure, backgroundFailure) = (nil, nil, nil, nil)
        do {
            try await store(overrides)
            return true
        } catch {
            failure = error
            return false
        }
    }

    private func store(_ overrides: ProfileChanges) async throws {
        let submission: Promise<SubmittedProfile>
        do {
            var attempt = try await presentForm()
            attempt.changes = attempt.changes.replaced(by: overrides)
            // Not checked here: the repository reports all problems.
            submission = repository.begin(attempt.edit) { [weak self] result, isAwaited in
                self?.settle(attempt, result, isAwaited: isAwaited)
            }
        } catch {
            isSaving = false
            throw error
        }
        do {
            _ = try await submission.value()
        } catch is CancellationError where submission.result == nil {
            throw ServiceError.cancelledWhenSent
        }
    }

    private func settle(
        _ attempt: ProfileFormState, _ result: Result<SubmittedProfile, any Error>, isAwaited: Bool
    ) {
        isSaving = false
        switch result {
        case .success(let submitted):
            (saved, notificationFailure) = (submitted.change, submitted.notificationFailure)
            if !isAwaited { warning = submitted.notificationFailure }
            change(attempt.account) { $0.settle(attempt.changes, stored: submitted.change.stored) }
        case .failure(let error):
            if !isAwaited { backgroundFailure = LoadFailure(error) }
            change(attempt.account) { $0.show(error, of: attempt) }
        }
    }

    /// Shows a warning to a user at the form until they confirm it; elsewhere throws it.
    private func warn(_ warning: ServiceError) async throws {
        // After a failed notification, the session does not have the name of the profile yet.
        try? await load()
        guard isCurrent else { throw warning }
        self.warning = warning
        defer { self.warning = nil }
        try await navigator.alert(Alert(warning, title: "Your profile is stored"))
    }

    func reset(_ field: ProfileField? = nil) async throws -> ActionResult {
        var form = try await presentForm()
        form.reset(field.map { [$0] } ?? ProfileField.allCases)
        loadedForm = form
        backgroundFailure = nil
        let part = field.map { " in the \($0.words)" } ?? ""
        return .updated("The form shows what is stored\(part).")
    }

    /// The form of the signed-in user, loaded if necessary.
    private func presentForm() async throws -> ProfileFormState {
        guard session.isSignedIn else { throw ServiceError.notAuthenticated }
        if form?.stored == nil {
            if form == nil { loadedForm = nil }
            try await load()
        }
        guard let form else { throw ServiceError.anotherAccount }
        return form
    }

    /// Changes the form of an account, unless it was replaced by another account's.
    private func change(_ account: String, _ change: (inout ProfileFormState) -> Void) {
        guard var form = loadedForm, form.account == account else { return }
        change(&form)
        loadedForm = form
    }
}

extension ProfileEditViewModel {
    struct SavedState: Codable, Hashable, Sendable {
        let account: String?
        let changes: ProfileChanges
        var known: Profile?
    }

    var savedState: SavedState {
        SavedState(account: form?.account, changes: changes, known: form?.known)
    }

    func restore(_ state: SavedState) {
        loadedForm = state.account.map {
            ProfileFormState(account: $0, changes: state.changes, known: state.known)
        }
    }
}
