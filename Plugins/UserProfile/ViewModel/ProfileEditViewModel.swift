import AtriumKit
import Observation

/// The form for the profile of the signed-in user.
///
/// The changes are saved with the stack entry until they are submitted. They belong to the account that the
/// form was loaded for: they are not shown, saved or submitted while another account is signed in.
@MainActor
@Observable
final class ProfileEditViewModel: ViewModel {
    /// The form of one account; an attempt to submit works on a copy.
    private struct Form {
        let account: String
        var draft = RecordDraft<Profile>()
        /// Nil before it is loaded.
        var stored: StoredProfile?
        /// The time when the stored profile was last seen at the service, if it can't be reached now.
        var asOf: Timestamp?

        mutating func load(_ stored: StoredProfile, asOf: Timestamp? = nil) {
            draft.load(stored.profile)
            (self.stored, self.asOf) = (stored, asOf)
        }
    }

    private let repository: UserProfileRepository
    private let session: SessionState
    private let navigator: any Navigator
    private(set) var isSaving = false
    private(set) var failure: (any Error)?
    /// A warning about the last submission, until the user has confirmed it.
    private(set) var warning: ServiceError?
    private(set) var backgroundFailure: LoadFailure?
    /// The form loaded last, for any account; only ``form`` may be shown.
    private var loaded: Form?

    init(repository: UserProfileRepository, session: SessionState, navigator: any Navigator) {
        self.repository = repository
        self.session = session
        self.navigator = navigator
        repository.submitted.add(self) { viewModel, change in
            viewModel.change(change.account) { $0.load(change.stored) }
        }
    }

    /// The form of the signed-in user; nil before it is loaded.
    private var form: Form? { loaded?.account == session.user?.id ? loaded : nil }
    var draft: RecordDraft<Profile> { form?.draft ?? RecordDraft() }
    /// The time when the stored profile was last seen at the service, if it can't be reached now.
    var asOf: Timestamp? { form?.asOf }

    /// Loads the stored profile from the service, not from the cache; drops changes of another user.
    func load() async throws {
        let own = try await repository.profile(reloads: true)
        guard let present = session.user else { throw ServiceError.notAuthenticated }
        guard present.id == own.user.id else { throw ServiceError.anotherAccount }
        if loaded?.account != own.user.id { loaded = Form(account: own.user.id) }
        loaded?.load(own.stored ?? .none, asOf: own.asOf)
    }

    func set(_ name: String, to text: String) async throws -> ActionResult {
        var form = try await presentForm()
        defer { loaded = form }
        try form.draft.set(name, to: text)
        return .updated("Set the \(Profile.fields[name]?.label.lowercased() ?? name).")
    }

    /// Submits the form, with `overrides` over its values, and leaves with the profile as the result.
    ///
    /// If the profile was stored but its notification failed, a user at the form confirms a warning, then
    /// leaves. Elsewhere, as in a script, that is an error.
    func submit(_ overrides: [String: String] = [:]) async throws -> ActionResult {
        guard !isSaving else { throw ServiceError.submissionUnderWay }
        let submitted = try await store(overrides)
        let (change, warning) = (submitted.change, submitted.notificationFailure)
        if let warning, change.account == session.user?.id { try await warn(warning) }
        return try .leave(
            "Submitted the profile of \(change.profile.fullName).", returning: change.profile,
            showing: ProfileDestination())
    }

    /// Submits the form, with `overrides` over its values, and stays.
    func save(_ overrides: [String: String] = [:]) async -> Bool {
        guard !isSaving else { return false }
        do {
            _ = try await store(overrides)
            return true
        } catch {
            failure = error
            return false
        }
    }

    private func store(_ overrides: [String: String]) async throws -> SubmittedProfile {
        isSaving = true
        (failure, backgroundFailure) = (nil, nil)
        let submission: Promise<SubmittedProfile>
        do {
            let attempt = try await attempt(overrides)
            let edit = ProfileEdit(
                account: attempt.account, changes: attempt.draft.changes, stored: attempt.stored ?? .none)
            // Not checked here: the repository reports all problems.
            submission = repository.begin(edit) { [weak self] result, isAwaited in
                self?.settle(attempt, result, isAwaited: isAwaited)
            }
        } catch {
            isSaving = false
            throw error
        }
        do {
            return try await submission.value()
        } catch is CancellationError where submission.result == nil {
            throw ServiceError.cancelledWhenSent
        } catch let error as ServiceError where error.code == .changedMeanwhile {
            try? await load()
            throw loaded?.draft.refusal(of: "submit") ?? error
        }
    }

    /// A copy of the form with `overrides` over its values; the form shows what is wrong with them.
    private func attempt(_ overrides: [String: String]) async throws -> Form {
        var form = try await presentForm()
        defer { loaded = form }
        try form.draft.prepareToSave(by: "submit")
        var attempt = form
        do {
            try attempt.draft.set(overrides)
        } catch let error as ValidationError {
            form.draft.show(error)
            throw error
        }
        return attempt
    }

    private func settle(
        _ attempt: Form, _ result: Result<SubmittedProfile, any Error>, isAwaited: Bool
    ) {
        isSaving = false
        switch result {
        case .success(let submitted):
            if !isAwaited { warning = submitted.notificationFailure }
            change(attempt.account) {
                $0.draft.settle(submitted.change.profile, from: attempt.draft)
                $0.stored = submitted.change.stored
            }
        case .failure(let error):
            if !isAwaited { backgroundFailure = LoadFailure(error) }
            if let error = error as? ValidationError { change(attempt.account) { $0.draft.show(error) } }
        }
    }

    /// Shows a warning to a user at the form until they confirm it; elsewhere throws it.
    private func warn(_ warning: ServiceError) async throws {
        // After a failed notification, the session does not have the name of the profile yet.
        try? await load()
        guard session.isCurrent(ProfileEditDestination()) else { throw warning }
        self.warning = warning
        defer { self.warning = nil }
        try await navigator.alert(Alert(warning, title: "Your profile is stored"))
    }

    func reset(_ field: String? = nil) async throws -> ActionResult {
        var form = try await presentForm()
        try form.draft.reset(field.map { [$0] })
        loaded = form
        backgroundFailure = nil
        let part = field.flatMap { Profile.fields[$0] }.map { " in the \($0.label.lowercased())" } ?? ""
        return .updated("The form shows what is stored\(part).")
    }

    /// The form of the signed-in user, loaded if necessary.
    private func presentForm() async throws -> Form {
        guard session.isSignedIn else { throw ServiceError.notAuthenticated }
        if form?.stored == nil {
            if form == nil { loaded = nil }
            try await load()
        }
        guard let form else { throw ServiceError.anotherAccount }
        return form
    }

    /// Changes the form of an account, unless it was replaced by another account's.
    private func change(_ account: String, _ change: (inout Form) -> Void) {
        guard var form = loaded, form.account == account else { return }
        change(&form)
        loaded = form
    }
}

extension ProfileEditViewModel {
    struct SavedState: Codable, Hashable, Sendable {
        let account: String?
        let input: RecordInput?
    }

    /// Version 1 had the changes by their types.
    static var savedStateVersion: Int { 2 }
    var savedState: SavedState { SavedState(account: form?.account, input: form?.draft.savedState) }

    func restore(_ state: SavedState) {
        loaded = state.account.map { Form(account: $0) }
        loaded?.draft.restore(state.input)
    }

    var leaveObjections: [LeaveObjection] { draft.leaveObjections("submitted", action: "submit") }
}
