import AtriumKit
import Observation

/// The form for the profile of the signed-in user.
///
/// The changes are saved with the stack entry until they are submitted.
@MainActor
@Observable
final class ProfileEditViewModel: ViewModel {
    private let form: DraftForm<Profile>
    private let repository: UserProfileRepository
    private let session: SessionState
    private let navigator: any Navigator
    private(set) var failure: (any Error)?
    /// A warning about the last submission, until the user has confirmed it.
    private(set) var warning: ServiceError?

    init(repository: UserProfileRepository, session: SessionState, navigator: any Navigator) {
        (self.repository, self.session, self.navigator) = (repository, session, navigator)
        form = DraftForm(session, action: "submit", participle: "submitted") {
            // From the service, not from the cache.
            let own = try await repository.profile(reloads: true)
            guard let present = session.user else { throw ServiceError.notAuthenticated }
            guard present.id == own.user.id else { throw ServiceError.anotherAccount }
            return DraftForm.Loaded(own.profile ?? Profile(), of: own.user.id, asOf: own.asOf)
        }
        repository.submitted.add(self) { $0.form.take($1.profile ?? Profile(), of: $1.user.id) }
    }

    var draft: RecordDraft<Profile> { form.draft }
    var isSaving: Bool { form.isSaving }
    /// The time when the stored profile was last seen at the service, if it can't be reached now.
    var asOf: Timestamp? { form.asOf }
    var backgroundFailure: LoadFailure? { form.backgroundFailure }

    func load() async throws { try await form.load() }

    func set(_ name: String, to text: String) async throws -> ActionResult {
        try await form.set(name, to: text)
    }

    func reset(_ field: String? = nil) async throws -> ActionResult { try await form.reset(field) }

    /// Submits the form, with `overrides` over its values, and leaves with the profile as the result.
    ///
    /// If the profile was stored but its notification failed, a user at the form confirms a warning, then
    /// leaves. Elsewhere, as in a script, that is an error.
    func submit(_ overrides: [String: String] = [:]) async throws -> ActionResult {
        guard !isSaving else { throw ServiceError.submissionUnderWay }
        let profile = try await store(overrides)
        try await confirmWarning()
        return try .leave(
            "Submitted the profile of \(profile.fullName).", returning: profile,
            showing: ProfileDestination())
    }

    /// Submits the form, with `overrides` over its values, and stays.
    func save(_ overrides: [String: String] = [:]) async -> Bool {
        guard !isSaving else { return false }
        do {
            _ = try await store(overrides)
        } catch {
            failure = error
        }
        return failure == nil
    }

    private func store(_ overrides: [String: String]) async throws -> Profile {
        (failure, warning) = (nil, nil)
        do {
            return try await form.save(overrides) { [weak self, repository, session] changes, account in
                let (profile, failure) = try await repository.submit(changes, ofAccount: account)
                if account == session.user?.id { self?.warning = failure }
                return profile
            }
        } catch is CancellationError where isSaving {
            throw ServiceError.cancelledWhenSent
        }
    }

    /// Shows the warning to a user at the form until they confirm it; elsewhere throws it.
    private func confirmWarning() async throws {
        guard let warning else { return }
        defer { self.warning = nil }
        // After a failed notification, the session does not have the name of the profile yet.
        try? await load()
        guard session.isCurrent(ProfileEditDestination()) else { throw warning }
        try await navigator.alert(Alert(warning, title: "Your profile is stored"))
    }
}

extension ProfileEditViewModel {
    /// Version 1 had the changes by their types, version 2 the account beside the input.
    static var savedStateVersion: Int { 3 }
    var savedState: RecordInput? { form.savedState }
    func restore(_ state: RecordInput?) { form.restore(state) }
    static func migrateSavedState(_ state: JSONObject, from version: Int) -> JSONObject? {
        guard version == 2 else { return nil }
        var input: JSONObject = ["texts": .object([:]), "stored": .object([:])]
        if case .object(let filledIn)? = state["input"] { input = filledIn }
        input["account"] = state["account"]
        return input
    }
    var leaveObjections: [LeaveObjection] { form.leaveObjections }
}
