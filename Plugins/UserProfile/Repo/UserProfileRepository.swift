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
    /// The profiles of accounts as they were seen last.
    private var known: [String: StoredProfile] = [:]
    /// The number of submissions; a read during which it grew is not saved.
    private var submissions = 0
    /// Receives every submitted profile, and those that other hosts submit for the signed-in user.
    let submitted = ObserverList<ProfileChange>()

    init(
        profiles: any UserProfileService, authentication: any AuthenticationService,
        notifications: any NotificationService, offline: OfflineStore, session: SessionWriter,
        clock: any WallClock, analytics: any Analytics, changes: ObserverList<DataChange> = ObserverList()
    ) {
        (self.profiles, self.authentication, self.notifications) = (profiles, authentication, notifications)
        (self.offline, self.session, self.clock) = (offline, session, clock)
        (self.analytics, self.changes) = (analytics, changes)
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
        let own: OwnProfile
        do {
            own = OwnProfile(
                user: user,
                stored: try await cache.value(user.id, reloads: reloads) { try await self.read(user) })
            if let profile = own.profile { updateSession(of: user, with: profile) }
        } catch let error where error.isOffline {
            let saved = await offline.value(StoredProfile.self, for: "profile \(user.id)", account: user.id)
            guard let saved else { throw error }
            own = OwnProfile(user: user, stored: saved.value.ifSubmitted, asOf: saved.asOf)
        }
        known[user.id] = own.stored
        return own
    }

    /// Reads the profile after a change by another host.
    private func takeChanged() async throws {
        let own = try await profile(reloads: true)
        if let stored = own.stored { submitted.send(ProfileChange(account: own.user.id, stored: stored)) }
    }

    /// True if the service has a profile now; neither the cache nor the offline store answers.
    func isSubmitted() async throws -> Bool {
        try await profiles.profile(ofAccount: authenticatedUser().id) != nil
    }

    private func read(_ user: SessionUser) async throws -> StoredProfile? {
        // Another user may sign in while the session is checked.
        guard try await authenticatedUser().id == user.id else { throw ServiceError.notAuthenticated }
        let before = submissions
        return try await saving(user, if: { before == self.submissions }) {
            try await profiles.profile(ofAccount: user.id) ?? .none
        }.ifSubmitted
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

    /// Submits changes of an account's profile, which has to be that of the signed-in user.
    ///
    /// Changes to other fields made elsewhere are kept. The steps: the session, the rules, the profile, the
    /// notification, the session's name, the event. A failure ends the submission, and undoes nothing.
    ///
    /// - Returns: The profile, and the reason that the user was not notified, which is no failure.
    /// - Throws: ``ServiceError/notAuthenticated``, ``ServiceError/anotherAccount``,
    ///   ``ValidationError`` or ``ServiceError``, each with all problems found, `changedMeanwhile`, or the
    ///   service's failure.
    func submit(
        _ changes: RecordChanges<Profile>, ofAccount account: String?
    ) async throws -> (profile: Profile, notificationFailure: ServiceError?) {
        let user = try await authenticatedUser()
        guard user.id == account else { throw ServiceError.anotherAccount }
        let stored = try await saving(user) {
            let stored = try await store(changes, of: user.id)
            submissions += 1
            cache.invalidate(user.id)
            return stored
        }
        known[user.id] = stored
        submitted.send(ProfileChange(account: user.id, stored: stored))
        // A server announces nothing to this host.
        self.changes.send(DataChange(keys: [user.id], isOwn: true))
        if let failure = try await notify(user) { return (stored.profile, failure) }
        updateSession(of: user, with: stored.profile)
        analytics.track(AnalyticsEvent("profileSubmitted"))
        return (stored.profile, nil)
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
    private func store(_ changes: RecordChanges<Profile>, of account: String) async throws -> StoredProfile {
        var stored = known[account] ?? .none
        for _ in 0..<Self.maximumAttempts {
            let profile = try changes.checkedAndApplied(to: stored.profile)
            try check(profile)
            switch try await send(profile, of: account, replacing: stored.version) {
            case .accepted(let version): return StoredProfile(profile: profile, version: version)
            case .refused(let reason): throw ServiceError.submissionFailed(reason)
            case .outdated: stored = try await profiles.profile(ofAccount: account) ?? .none
            }
        }
        throw ServiceError.overtaken
    }

    private func send(
        _ profile: Profile, of account: String, replacing version: ProfileVersion
    ) async throws -> SubmissionReceipt {
        do {
            return try await profiles.submit(profile, ofAccount: account, replacing: version)
        } catch {
            if error.mayHaveChanged { cache.invalidate(account) }
            throw error.answerWasLost ? ServiceError.unknownOutcome(error) : error
        }
    }

    private func check(_ profile: Profile) throws {
        let minors = Profile.ages.lowerBound..<Profile.minimumAge
        let minor = profile.age.flatMap { minors.contains($0) ? $0 : nil }
        let broken = minor.map(ServiceError.minimumAgeRequired)
        var findings = profile.findings
        if let broken {
            guard !findings.isEmpty else { throw broken }
            findings.append(ValidationFinding(broken.message))
        }
        if !findings.isEmpty { throw ValidationError(findings: findings, cause: broken) }
    }

    /// Notifies the user; returns the reason if that fails.
    private func notify(_ user: SessionUser) async throws -> ServiceError? {
        do {
            try await notifications.send(.profileUpdated, toAccount: user.id)
            return nil
        } catch let error as CancellationError {
            throw error
        } catch {
            return .notificationFailed(error)
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
}

struct OwnProfile: Hashable, Sendable {
    let user: SessionUser
    /// Nil if none was submitted yet.
    let stored: StoredProfile?
    /// The time when the profile was last seen at the service, if it can't be reached now.
    var asOf: Timestamp?

    var profile: Profile? { stored?.profile }
}
