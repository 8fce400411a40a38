import AtriumKit

/// The profile of the signed-in user, and the rules for changing it.
///
/// A profile that was read is cached for ``lifetime``, until another is submitted or another user signs in.
/// If the service can't be reached, a read falls back to the offline store; a submission never does.
@MainActor
final class UserProfileRepository {
    static let lifetime = Duration.seconds(300)
    /// The maximum number of attempts at a submission while others are faster.
    private static let maximumAttempts = 5

    private let profiles: any UserProfileService
    private let authentication: any AuthenticationService
    private let notifications: any NotificationService
    private let offline: OfflineStore
    private let session: SessionWriter
    private let clock: any WallClock
    private let analytics: any Analytics
    private let changes: ObserverList<DataChange>
    /// Profiles by account; nil values are accounts without one.
    private let cache: Cache<String, StoredProfile?>
    /// The number of submissions; a read during which it grew is not saved.
    private var submissions = 0
    /// Receives every submitted profile, and those that other hosts submit for the signed-in user.
    let submitted = ObserverList<ProfileChange>()

    init(
        profiles: any UserProfileService, authentication: any AuthenticationService,
        notifications: any NotificationService, offline: OfflineStore, session: SessionWriter,
        clock: any WallClock, analytics: any Analytics, changes: ObserverList<DataChange> = ObserverList()
    ) {
        self.profiles = profiles
        self.authentication = authentication
        self.notifications = notifications
        self.offline = offline
        self.session = session
        self.clock = clock
        self.analytics = analytics
        self.changes = changes
        cache = Cache(lifetime: Self.lifetime, clock: clock)
        changes.add(self) { if session.isConcerned(by: $1) { $0.cache.invalidateAll() } }
        changes.reload(self, where: { session.isConcerned(by: $1) }) { try await $0.takeChanged() }
        session.observe(self) { repository, change in
            if case .updated = change { return }
            repository.cache.invalidateAll()
        }
    }

    /// The signed-in user and their profile; stale if the services can't be reached.
    func profile(reloads: Bool = false) async throws -> OwnProfile {
        let user = try session.signedInUser(at: clock.now())
        do {
            let stored = try await cache.value(user.id, reloads: reloads) { try await self.read(user) }
            if let stored { updateSession(of: user, with: stored.profile) }
            return OwnProfile(user: user, stored: stored)
        } catch let error where error.isOffline {
            let saved = await offline.value(
                StoredProfile.self, for: "profile \(user.id)", account: user.id)
            guard let saved else { throw error }
            return OwnProfile(
                user: user, stored: saved.value == .none ? nil : saved.value, asOf: saved.asOf)
        }
    }

    /// Reads the profile after a change by another host.
    private func takeChanged() async throws {
        let own = try await profile(reloads: true)
        guard let stored = own.stored else { return }
        submitted.send(ProfileChange(account: own.user.id, stored: stored))
    }

    /// True if the service has a profile now; neither the cache nor the offline store answers.
    func isSubmitted() async throws -> Bool {
        try await profiles.profile(ofAccount: authenticatedUser().id) != nil
    }

    private func read(_ user: SessionUser) async throws -> StoredProfile? {
        // Another user may sign in while the session is checked.
        guard try await authenticatedUser().id == user.id else {
            throw ServiceError.notAuthenticated
        }
        let before = submissions
        let stored = try await saving(user, if: { before == self.submissions }) {
            try await profiles.profile(ofAccount: user.id) ?? .none
        }
        return stored == .none ? nil : stored
    }

    /// Keeps an answer for when the services can't be reached, unless the user has signed out meanwhile.
    private func saving(
        _ user: SessionUser, if isCurrent: @MainActor () -> Bool = { true },
        _ ask: @MainActor () async throws -> StoredProfile
    ) async throws -> StoredProfile {
        try await offline.saving(
            "profile \(user.id)", account: user.id,
            if: { await isCurrent() && self.session.user?.id == user.id }, { try await ask() })
    }

    func notifications(limit: Int) async throws -> (user: SessionUser, notifications: [Notification]) {
        let user = try await authenticatedUser()
        return (user, try await notifications.notifications(ofAccount: user.id, limit: limit))
    }

    /// Submits changes of the signed-in user's profile, in a task that no caller can cancel.
    ///
    /// Changes to other fields made elsewhere are kept. The steps: the session, the rules, the profile, the
    /// notification, the session's name, the event. A failure ends the submission, and undoes nothing.
    ///
    /// Fails with ``ServiceError/notAuthenticated``, ``ServiceError/anotherAccount``,
    /// ``ValidationError`` or ``ServiceError``, each with all problems found, `changedMeanwhile`, or the
    /// service's failure. A notification that can't be sent is no failure.
    ///
    /// - Parameters:
    ///   - edit: The changes.
    ///   - handler: Called with the result, and whether there are waiters, before the waiters continue.
    /// - Returns: The submitted profile, once it is stored.
    func begin(
        _ edit: ProfileEdit,
        // architecture: allow completion-handler, because the form changes before the waiters continue
        handler: @escaping @MainActor (Result<SubmittedProfile, any Error>, _ isAwaited: Bool) -> Void = {
            _, _ in
        }
    ) -> Promise<SubmittedProfile> {
        let promise = Promise<SubmittedProfile>()
        // architecture: allow unowned-task, because a cancelled command must not lose the submission
        Task.immediate {
            let result: Result<SubmittedProfile, any Error>
            do { result = .success(try await self.submit(edit)) } catch { result = .failure(error) }
            handler(result, promise.waiterCount > 0)
            promise.settle(result)
        }
        return promise
    }

    private func submit(_ edit: ProfileEdit) async throws -> SubmittedProfile {
        let user = try await authenticatedUser()
        guard user.id == edit.account else { throw ServiceError.anotherAccount }
        let stored = try await saving(user) {
            let stored = try await store(edit)
            submissions += 1
            cache.invalidate(user.id)
            return stored
        }
        let change = ProfileChange(account: user.id, stored: stored)
        submitted.send(change)
        // A server announces nothing to this host.
        changes.send(DataChange(keys: [user.id], isOwn: true))
        do {
            try await notify(user)
        } catch let failure as ServiceError {
            return SubmittedProfile(change: change, notificationFailure: failure)
        }
        updateSession(of: user, with: stored.profile)
        analytics.track(AnalyticsEvent("profileSubmitted"))
        return SubmittedProfile(change: change, notificationFailure: nil)
    }

    // MARK: - The session

    private func authenticatedUser() async throws -> SessionUser {
        let credential = session.credential
        guard try await authentication.isAuthenticated(credential),
            session.credential?.token == credential?.token,
            let user = session.user
        else { throw ServiceError.notAuthenticated }
        return user
    }

    // MARK: - The steps of a submission

    /// Stores the changes, on top of those stored meanwhile.
    private func store(_ edit: ProfileEdit) async throws -> StoredProfile {
        var edit = edit
        for _ in 0..<Self.maximumAttempts {
            try check(edit.changes.checkedAndApplied(to: edit.stored.profile))
            switch try await send(edit) {
            case .accepted(let version): return StoredProfile(profile: edit.draft, version: version)
            case .refused(let reason): throw ServiceError.submissionFailed(reason)
            case .outdated: edit.stored = try await profiles.profile(ofAccount: edit.account) ?? .none
            }
        }
        throw ServiceError.overtaken
    }

    private func send(_ edit: ProfileEdit) async throws -> SubmissionReceipt {
        do {
            return try await profiles.submit(
                edit.draft, ofAccount: edit.account, replacing: edit.stored.version)
        } catch {
            if error.mayHaveChanged { cache.invalidate(edit.account) }
            throw error.answerWasLost ? ServiceError.unknownOutcome(error) : error
        }
    }

    private func check(_ profile: Profile) throws {
        let minors = Profile.ages.lowerBound..<Profile.minimumAge
        let broken = profile.age.flatMap {
            minors.contains($0) ? ServiceError.minimumAgeRequired(age: $0) : nil
        }
        let findings = profile.findings
        if !findings.isEmpty {
            throw ValidationError(
                findings: findings + [broken].compactMap { $0.map { ValidationFinding($0.message) } },
                cause: broken)
        }
        if let broken { throw broken }
    }

    private func notify(_ user: SessionUser) async throws {
        do {
            try await notifications.send(.profileUpdated, toAccount: user.id)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw error.answerWasLost
                ? ServiceError.notificationInDoubt(error) : ServiceError.notificationFailed(error)
        }
    }

    private func updateSession(of user: SessionUser, with profile: Profile) {
        guard user.displayName != profile.fullName else { return }
        var user = user
        user.displayName = profile.fullName
        session.update(user)
    }
}

struct ProfileChange: Hashable, Sendable {
    let account: String
    let stored: StoredProfile

    var profile: Profile { stored.profile }
}

struct SubmittedProfile: Sendable {
    let change: ProfileChange
    /// The reason the user was not notified; nil if they were.
    let notificationFailure: ServiceError?
}

struct OwnProfile: Hashable, Sendable {
    let user: SessionUser
    /// Nil if none was submitted yet.
    let stored: StoredProfile?
    /// The time when the profile was last seen at the service, if it can't be reached now.
    var asOf: Timestamp?

    var profile: Profile? { stored?.profile }
}
