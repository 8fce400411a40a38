import AtriumKit

/// The profile of the signed-in person, and what has to happen when it changes.
@MainActor
final class UserProfileRepository {
    private let profiles: any UserProfileService
    private let authentication: any AuthenticationService
    private let notifications: any NotificationService
    private let session: SessionWriter
    private let analytics: any Analytics

    init(
        profiles: any UserProfileService, authentication: any AuthenticationService,
        notifications: any NotificationService, session: SessionWriter, analytics: any Analytics
    ) {
        self.profiles = profiles
        self.authentication = authentication
        self.notifications = notifications
        self.session = session
        self.analytics = analytics
    }

    /// The signed-in person and their profile; the profile is nil where none was submitted yet.
    ///
    /// - Throws: ``AuthenticationError/notAuthenticated`` where nobody is signed in.
    func profile() async throws -> (user: SessionUser, profile: Profile?) {
        let user = try await authenticatedUser()
        let profile = try await profiles.profile(ofAccount: user.id)
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
        try await notify(user)
        updateSession(of: user, with: profile)
        analytics.track(AnalyticsEvent("profileSubmitted"))
    }

    private func authenticatedUser() async throws -> SessionUser {
        let credential = session.credential
        guard try await authentication.isAuthenticated(credential), session.credential == credential,
            let user = session.user
        else { throw AuthenticationError.notAuthenticated }
        return user
    }

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
