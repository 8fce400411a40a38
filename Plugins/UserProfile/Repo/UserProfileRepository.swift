import AtriumKit

/// The profile of the signed-in person, and what has to happen when it changes.
///
/// A profile that was read is kept for ``lifetime``; it is dropped when the person submits another one or
/// somebody else signs in. While it is kept no service is asked, only the clock: whether the session lasts.
/// Where the service can't be asked, the last known copy answers a read; a submission never goes anywhere else.
@MainActor
final class UserProfileRepository {
    /// How long a profile is kept.
    static let lifetime = Duration.seconds(300)
    /// How often a submission begins anew because another one was faster.
    private static let maximumAttempts = 5

    private let profiles: any UserProfileService
    private let authentication: any AuthenticationService
    private let notifications: any NotificationService
    private let copies: ProfileCopies
    private let session: SessionWriter
    private let clock: any WallClock
    private let analytics: any Analytics
    /// Profiles by account; nil values are accounts without one.
    private let kept: Cache<String, StoredProfile?>
    /// Counts what was submitted; what was read across one of these is no copy of anything.
    private var submissions = 0
    private let observers = ObserverList<ProfileChange>()

    init(
        profiles: any UserProfileService, authentication: any AuthenticationService,
        notifications: any NotificationService, copies: ProfileCopies, session: SessionWriter,
        clock: any WallClock, analytics: any Analytics
    ) {
        self.profiles = profiles
        self.authentication = authentication
        self.notifications = notifications
        self.copies = copies
        self.session = session
        self.clock = clock
        self.analytics = analytics
        kept = Cache(lifetime: Self.lifetime, clock: clock)
        session.observe(self) { repository, change in repository.personChanged(change) }
    }

    /// The signed-in person and their profile; the profile is nil where none was submitted yet.
    ///
    /// - Parameter reloads: Whether the service is asked although a profile is kept.
    /// - Returns: Who is signed in, and what they submitted last; from when it is where no service can be asked.
    /// - Throws: ``AuthenticationError/notAuthenticated`` where nobody is signed in; what a service throws,
    ///   where no copy is known.
    func profile(reloads: Bool = false) async throws -> OwnProfile {
        let user = try signedInUser()
        do {
            let stored = try await kept.value(user.id, reloads: reloads) { try await self.read(user) }
            if let stored { updateSession(of: user, with: stored.profile) }
            return OwnProfile(user: user, stored: stored)
        } catch let error where error.isOffline {
            guard let copy = await copies.last(.profile(ofAccount: user.id), of: user.id) else { throw error }
            return OwnProfile(user: user, copy)
        }
    }

    /// Whether the profile can be read now, and whether there is one: neither what is kept nor a copy answers.
    func isSubmitted() async throws -> Bool {
        try await profiles.profile(ofAccount: authenticatedUser().id) != nil
    }

    private func read(_ user: SessionUser) async throws -> StoredProfile? {
        // Whoever signs in while the session is checked is not whose profile was asked for.
        guard try await authenticatedUser().id == user.id else {
            throw AuthenticationError.notAuthenticated
        }
        let before = submissions
        let stored = try await profiles.profile(ofAccount: user.id)
        if before == submissions { await keepCopy(stored ?? .none, of: user) }
        return stored
    }

    private func keepCopy(_ stored: StoredProfile, of user: SessionUser) async {
        await copies.keep(stored, to: .profile(ofAccount: user.id), of: user.id)
    }

    /// The signed-in person and what they were told, the newest first.
    ///
    /// - Throws: ``AuthenticationError/notAuthenticated`` where nobody is signed in.
    func notifications(limit: Int) async throws -> (user: SessionUser, notifications: [Notification]) {
        let user = try await authenticatedUser()
        return (user, try await notifications.notifications(ofAccount: user.id, limit: limit))
    }

    /// Begins to make the changes of `edit`, to the profile of an account that has to be the signed-in person's.
    ///
    /// What was changed elsewhere since the edit began stays, unless it is the same field. In this order: who is
    /// asking, the rules, the profile, the notification, the session, the event. What fails keeps all that
    /// follows from happening; nothing that came before it is taken back. Whoever waits may be cancelled: what
    /// was begun is done.
    ///
    /// It fails with ``AuthenticationError/notAuthenticated``, ``AuthenticationError/anotherAccount``,
    /// ``ValidationError`` or ``BusinessError``, each with everything that is wrong, ``ProfileConflict``, or
    /// what a service throws. A notification that can't be sent is no failure.
    ///
    /// - Parameters:
    ///   - edit: What is to change.
    ///   - whenSettled: Called with what became of it, and with whether somebody waited for that.
    /// - Returns: What is under way.
    func begin(
        _ edit: ProfileEdit,
        whenSettled: @escaping @MainActor (Submission.Outcome, Bool) -> Void = { _, _ in }
    ) -> Submission {
        let submission = Submission(whenSettled: whenSettled)
        submission.begin { [self] in try await submit(edit) }
        return submission
    }

    private func submit(_ edit: ProfileEdit) async throws -> SubmittedProfile {
        let user = try await authenticatedUser()
        guard user.id == edit.account else { throw AuthenticationError.anotherAccount }
        let stored = try await store(edit)
        submissions += 1
        kept.invalidate(user.id)
        await keepCopy(stored, of: user)
        let change = ProfileChange(account: user.id, stored: stored)
        observers.send(change)
        do {
            try await notify(user)
        } catch let untold as BusinessError {
            return SubmittedProfile(change: change, untold: untold)
        }
        updateSession(of: user, with: stored.profile)
        analytics.track(AnalyticsEvent("profileSubmitted"))
        return SubmittedProfile(change: change, untold: nil)
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
        kept.invalidateAll()
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

    /// Makes the changes to what is stored by then.
    private func store(_ edit: ProfileEdit) async throws -> StoredProfile {
        var edit = edit
        for _ in 0..<Self.maximumAttempts {
            try check(edit.draft)
            let conflicts = edit.conflicts
            guard conflicts.isEmpty else { throw ProfileConflict(fields: conflicts, stored: edit.stored) }
            switch try await send(edit) {
            case .accepted(let version): return StoredProfile(profile: edit.draft, version: version)
            case .refused(let reason): throw BusinessError.submissionFailed(reason)
            case .outdated: edit.stored = try await profiles.profile(ofAccount: edit.account) ?? .none
            }
        }
        throw BusinessError.overtaken
    }

    /// - Throws: ``BusinessError/unknownOutcome(_:)`` where the profile may be stored, and nobody knows.
    private func send(_ edit: ProfileEdit) async throws -> SubmissionReceipt {
        do {
            return try await profiles.submit(
                edit.draft, ofAccount: edit.account, replacing: edit.stored.version)
        } catch {
            if error.mayHaveChanged { kept.invalidate(edit.account) }
            throw error.answerWasLost ? BusinessError.unknownOutcome(error) : error
        }
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
            throw error.answerWasLost
                ? BusinessError.notificationInDoubt(error) : BusinessError.notificationFailed(error)
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
    let stored: StoredProfile

    var profile: Profile { stored.profile }
}
