import AtriumKit

/// The profile of the signed-in person, and what has to happen when it changes.
///
/// A profile that was read is kept for ``lifetime``; it is dropped when the person submits another one or
/// somebody else signs in. While it is kept no service is asked, only the clock: whether the session lasts.
@MainActor
final class UserProfileRepository {
    /// How long a profile is kept.
    static let lifetime = Duration.seconds(300)

    private let profiles: any UserProfileService
    private let authentication: any AuthenticationService
    private let notifications: any NotificationService
    private let session: SessionWriter
    private let clock: any WallClock
    private let analytics: any Analytics
    /// Profiles by account; nil values are accounts without one.
    private var kept: Cache<String, Profile?>
    private let observers = ObserverList<ProfileChange>()

    init(
        profiles: any UserProfileService, authentication: any AuthenticationService,
        notifications: any NotificationService, session: SessionWriter, clock: any WallClock,
        analytics: any Analytics
    ) {
        self.profiles = profiles
        self.authentication = authentication
        self.notifications = notifications
        self.session = session
        self.clock = clock
        self.analytics = analytics
        kept = Cache(lifetime: Self.lifetime, clock: clock)
        session.observe(self) { repository, change in repository.personChanged(change) }
    }

    /// The signed-in person and their profile; the profile is nil where none was submitted yet.
    ///
    /// - Parameter reloads: Whether the service is asked although a profile is kept.
    /// - Returns: Who is signed in, and what they submitted last.
    /// - Throws: ``AuthenticationError/notAuthenticated`` where nobody is signed in.
    func profile(reloads: Bool = false) async throws -> (user: SessionUser, profile: Profile?) {
        let user = try signedInUser()
        let profile = try await kept.value(user.id, reloads: reloads) {
            // Whoever signs in while the session is checked is not whose profile was asked for.
            guard try await self.authenticatedUser().id == user.id else {
                throw AuthenticationError.notAuthenticated
            }
            return try await self.profiles.profile(ofAccount: user.id)
        }
        if let profile { updateSession(of: user, with: profile) }
        return (user, profile)
    }

    /// The signed-in person and what they were told, the newest first.
    ///
    /// - Throws: ``AuthenticationError/notAuthenticated`` where nobody is signed in.
    func notifications(limit: Int) async throws -> (user: SessionUser, notifications: [Notification]) {
        let user = try await authenticatedUser()
        return (user, try await notifications.notifications(ofAccount: user.id, limit: limit))
    }

    /// Makes `profile` that of `account`, which has to be the signed-in person's.
    ///
    /// In this order: who is asking, the rules, the profile, the notification, the session, the event. What
    /// fails keeps all that follows from happening; nothing that came before it is taken back.
    ///
    /// - Throws: ``AuthenticationError/notAuthenticated``, ``AuthenticationError/anotherAccount``,
    ///   ``ValidationError`` or ``BusinessError``, each with everything that is wrong, or what a service
    ///   throws.
    func submit(_ profile: Profile, ofAccount account: String) async throws {
        let user = try await authenticatedUser()
        guard user.id == account else { throw AuthenticationError.anotherAccount }
        try check(profile)
        let receipt = try await profiles.submit(profile, ofAccount: user.id)
        guard receipt.isAccepted else { throw BusinessError.submissionFailed(receipt.reason) }
        // Only now, and whatever follows: what is being read meanwhile may be the former profile.
        kept.invalidate(user.id)
        observers.send(ProfileChange(account: user.id, profile: profile))
        try await notify(user)
        updateSession(of: user, with: profile)
        analytics.track(AnalyticsEvent("profileSubmitted"))
    }

    /// Tells `observer` of every profile that is submitted, for as long as it lives.
    func observe<Observer: AnyObject>(
        _ observer: Observer, _ notify: @escaping @MainActor (Observer, ProfileChange) -> Void
    ) {
        observers.add(observer, notify)
    }

    // MARK: - Who is asking

    /// Another person's session leaves nothing of the former one's; what is under way for them ends unkept.
    private func personChanged(_ change: SessionChange) {
        if case .updated = change { return }
        kept = Cache(lifetime: Self.lifetime, clock: clock)
    }

    /// Who is signed in, as far as the clock knows.
    private func signedInUser() throws -> SessionUser {
        guard let user = session.user, let credential = session.credential,
            !credential.isExpired(at: clock.now())
        else { throw AuthenticationError.notAuthenticated }
        return user
    }

    private func authenticatedUser() async throws -> SessionUser {
        let credential = session.credential
        guard try await authentication.isAuthenticated(credential),
            session.credential?.token == credential?.token,
            let user = session.user
        else { throw AuthenticationError.notAuthenticated }
        return user
    }

    // MARK: - The steps of a submission

    private func check(_ profile: Profile) throws {
        let findings = profile.validate()
        let broken = brokenRule(of: profile)
        if !findings.isEmpty { throw ValidationError(findings: findings, businessError: broken) }
        if let broken { throw broken }
    }

    private func brokenRule(of profile: Profile) -> BusinessError? {
        guard let age = profile.age, Profile.ages.contains(age), age < BusinessError.minimumAge else {
            return nil
        }
        return .minimumAgeRequired(age: age)
    }

    private func notify(_ user: SessionUser) async throws {
        do {
            try await notifications.send(.profileUpdated, toAccount: user.id)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw BusinessError.notificationFailed(error)
        }
    }

    /// The session greets the person by the name of the profile.
    private func updateSession(of user: SessionUser, with profile: Profile) {
        guard user.displayName != profile.fullName else { return }
        var user = user
        user.displayName = profile.fullName
        session.update(user)
    }
}

/// A profile that was submitted just now.
struct ProfileChange: Hashable, Sendable {
    let account: String
    let profile: Profile
}
