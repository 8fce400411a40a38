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
    /// Profiles by account.
    private let cache: Cache<String, StoredProfile>
    /// The profiles of accounts as they were seen last.
    private(set) var known: [String: StoredProfile] = [:]
    /// The number of submissions; a read during which it grew is not saved.
    private var submissions = 0
    /// Receives every submitted profile, and those that other hosts submit for the signed-in user.
    let submitted = ObserverList<OwnProfile>()

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
        changes.reload(self, where: { session.isConcerned(by: $1) }) { repository in
            let own = try await repository.profile(reloads: true)
            if own.profile != nil { repository.submitted.send(own) }
        }
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
            let stored = try await cache.value(user.id, reloads: reloads) { try await self.read(user) }
            own = OwnProfile(user: user, stored: stored)
            if let profile = own.profile { updateSession(of: user, with: profile) }
        } catch let error where error.isOffline {
            let saved = await offline.value(StoredProfile.self, for: "profile \(user.id)", account: user.id)
            guard let saved else { throw error }
            own = OwnProfile(user: user, stored: saved.value, asOf: saved.asOf)
        }
        known[user.id] = own.stored
        return own
    }

    /// True if the service has a profile now; neither the cache nor the offline store answers.
    func isSubmitted() async throws -> Bool {
        try await profiles.profile(ofAccount: authenticatedUser().id) != nil
    }

    private func read(_ user: SessionUser) async throws -> StoredProfile {
        // Another user may sign in while the session is checked.
        guard try await authenticatedUser().id == user.id else { throw ServiceError.notAuthenticated }
        let before = submissions
        return try await offline.saving(
            "profile \(user.id)", account: user.id,
            if: { before == self.submissions && self.session.user?.id == user.id }
        ) { try await self.profiles.profile(ofAccount: user.id) ?? .none }
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
    /// - Throws: ``ServiceError/notAuthenticated``, ``ServiceError/anotherAccount``, all problems found,
    ///   `changedMeanwhile`, or the service's failure.
    func submit(
        _ changes: RecordChanges<Profile>, ofAccount account: String?
    ) async throws -> (profile: Profile, notificationFailure: ServiceError?) {
        let user = try await authenticatedUser()
        guard user.id == account else { throw ServiceError.anotherAccount }
        let stored = try await offline.saving(
            "profile \(user.id)", account: user.id, if: { self.session.user?.id == user.id }
        ) {
            let stored = try await self.store(changes, of: user.id)
            self.submissions += 1
            self.cache.invalidate(user.id)
            self.known[user.id] = stored
            return stored
        }
        submitted.send(OwnProfile(user: user, stored: stored))
        // A server announces nothing to this host.
        self.changes.send(DataChange(keys: [user.id], isOwn: true))
        if let failure = try await notify(user) { return (stored.profile, failure) }
        updateSession(of: user, with: stored.profile)
        analytics.track(AnalyticsEvent("profileSubmitted"))
        return (stored.profile, nil)
    }

    private func authenticatedUser() async throws -> SessionUser {
        let credential = session.credential
        guard try await authentication.isAuthenticated(credential),
            session.credential?.token == credential?.token,
            let user = session.user
        else { throw ServiceError.notAuthenticated }
        return user
    }

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
        let minors = Profile.Ages.range.lowerBound..<Profile.minimumAge
        let minor = profile.age.flatMap { minors.contains($0) ? $0 : nil }
        let broken = minor.map(ServiceError.minimumAgeRequired)
        var findings = profile.findings
        if let broken, findings.isEmpty { throw broken }
        findings += broken.map { [ValidationFinding($0.message)] } ?? []
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
        session.update(SessionUser(id: user.id, email: user.email, displayName: profile.fullName))
    }
}

struct OwnProfile: Hashable, Sendable {
    let user: SessionUser
    let stored: StoredProfile
    /// The time when the profile was last seen at the service, if it can't be reached now.
    var asOf: Timestamp?

    /// Nil if none was submitted yet.
    var profile: Profile? { stored == .none ? nil : stored.profile }
}
