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
