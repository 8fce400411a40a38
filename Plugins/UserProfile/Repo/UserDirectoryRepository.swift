import AtriumKit

/// The people that there are, for whoever is signed in.
///
/// Who is asking is checked by the clock only: each answer of a server is for a token that the server knows.
/// Where the services can't be asked, the last known copy of what they answered this person does.
@MainActor
final class UserDirectoryRepository {
    /// The most profiles that are asked for at once.
    static let maximumLookups = 200

    private let directory: any UserDirectoryService
    private let profiles: any UserProfileService
    private let copies: ProfileCopies
    private let session: SessionWriter
    private let clock: any WallClock

    init(
        directory: any UserDirectoryService, profiles: any UserProfileService, copies: ProfileCopies,
        session: SessionWriter, clock: any WallClock
    ) {
        self.directory = directory
        self.profiles = profiles
        self.copies = copies
        self.session = session
        self.clock = clock
    }

    /// A page of the people that a query asks for, and from when it is where the directory can't be asked.
    ///
    /// - Throws: ``DirectoryError`` of code `validation` with every rule that the query breaks;
    ///   ``AuthenticationError/notAuthenticated``; what the service throws.
    func users(_ query: UserQuery) async throws -> Stale<UserPage> {
        guard query.problems.isEmpty else { throw DirectoryError.badQuery(query.problems) }
        let reader = try signedInAccount()
        return try await copies.answer(to: .users(query), of: reader) { try await directory.users(query) }
    }

    /// One person and their profile, both asked for at the same time, and from when they are where the services
    /// can't be asked.
    ///
    /// - Throws: The first failure, which ends the other request: ``DirectoryError/notFound(_:)``,
    ///   ``AuthenticationError/notAuthenticated``, or what a service throws.
    func person(_ id: String) async throws -> Stale<Person> {
        let reader = try signedInAccount()
        let (directory, profiles) = (directory, profiles)
        do {
            return try await copies.answer(to: .person(id), of: reader) {
                let (user, stored) = try await inParallel(
                    { try await directory.user(id) }, { try await profiles.profile(ofAccount: id) })
                return Person(user: user, profile: stored?.profile)
            }
        } catch let error as DirectoryError where error.code == .notFound {
            await copies.forget(.person(id), of: reader)
            throw error
        }
    }

    /// The profiles of several people.
    ///
    /// - Returns: What became of each, in the order of `ids`: one failure is that one's.
    /// - Throws: ``DirectoryError`` of code `validation` where they are too many;
    ///   ``AuthenticationError/notAuthenticated``.
    func profiles(of ids: [String]) async throws -> [ProfileLookup] {
        guard ids.count <= Self.maximumLookups else {
            throw DirectoryError.tooMany(ids.count, maximum: Self.maximumLookups)
        }
        _ = try signedInAccount()
        let outcomes = try await profiles.profiles(ofAccounts: ids)
        return zip(ids, outcomes).map { id, outcome in
            ProfileLookup(id: id, outcome: outcome.map { $0?.profile })
        }
    }

    private func signedInAccount() throws -> String {
        guard let account = session.user?.id, let credential = session.credential,
            !credential.isExpired(at: clock.now())
        else { throw AuthenticationError.notAuthenticated }
        return account
    }
}
