import AtriumKit

/// Users with their profiles, as visible to the signed-in user.
///
/// The session is only checked for expiry: the server checks the token of each request. If it can't be
/// reached, reads fall back to the offline store.
@MainActor
final class UserDirectoryRepository {
    static let maximumLookups = 200

    private let directory: any RecordService<DirectoryUser>
    private let profiles: any UserProfileService
    private let offline: OfflineStore
    private let session: SessionWriter
    private let clock: any WallClock
    /// The changes of profiles, by this host or another.
    let changes: ObserverList<DataChange>

    init(
        directory: any RecordService<DirectoryUser>, profiles: any UserProfileService,
        offline: OfflineStore, session: SessionWriter, clock: any WallClock,
        changes: ObserverList<DataChange> = ObserverList()
    ) {
        (self.directory, self.profiles, self.offline) = (directory, profiles, offline)
        (self.session, self.clock, self.changes) = (session, clock, changes)
    }

    /// One user and their profile, requested at the same time; stale if the services can't be reached.
    ///
    /// - Throws: The first failure, which ends the other request.
    func person(_ id: String) async throws -> Stale<Person> {
        let reader = try session.signedInUser(at: clock.now()).id
        let (directory, profiles) = (directory, profiles)
        do {
            return try await offline.answer("person \(id)", account: reader) {
                let (user, stored) = try await inParallel(
                    { try await directory.record(id) }, { try await profiles.profile(ofAccount: id) })
                return Person(user: user, profile: stored?.profile)
            }
        } catch let error as ServiceError where error.code == .notFound {
            await offline.remove("person \(id)", account: reader)
            throw error
        }
    }

    /// The profile or the failure of each of several users, in the order of `ids`.
    ///
    /// - Throws: `validation` if there are too many; ``ServiceError/notAuthenticated``.
    func profiles(of ids: [String]) async throws -> [Result<Profile?, any Error>] {
        guard ids.count <= Self.maximumLookups else {
            throw ServiceError.tooMany(ids.count, maximum: Self.maximumLookups)
        }
        _ = try session.signedInUser(at: clock.now()).id
        return try await profiles.profiles(ofAccounts: ids).map { outcome in outcome.map { $0?.profile } }
    }
}

/// Runs two operations at the same time; the first failure cancels the other.
///
/// With `async let`, a failure of the second would be noticed only after the first has ended.
func inParallel<First: Sendable, Second: Sendable>(
    _ first: @escaping @Sendable () async throws -> First,
    _ second: @escaping @Sendable () async throws -> Second
) async throws -> (First, Second) {
    try await withThrowingTaskGroup(of: (First?, Second?).self) { group in
        group.addTask { (try await first(), nil) }
        group.addTask { (nil, try await second()) }
        var values: (first: First?, second: Second?)
        for try await half in group { values = (half.0 ?? values.first, half.1 ?? values.second) }
        guard let first = values.first, let second = values.second else { throw CancellationError() }
        return (first, second)
    }
}

extension SessionWriter {
    /// The signed-in user, checked only for expiry.
    func signedInUser(at moment: Timestamp) throws -> SessionUser {
        guard let user, let credential, !credential.isExpired(at: moment) else {
            throw ServiceError.notAuthenticated
        }
        return user
    }
}
