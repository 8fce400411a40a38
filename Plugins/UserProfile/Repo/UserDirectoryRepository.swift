import AtriumKit

/// The people that there are, for whoever is signed in.
///
/// Who is asking is checked by the clock only: each answer of a server is for a token that the server knows.
@MainActor
final class UserDirectoryRepository {
    /// The most profiles that are asked for at once.
    static let maximumLookups = 200

    private let directory: any UserDirectoryService
    private let profiles: any UserProfileService
    private let session: SessionWriter
    private let clock: any WallClock

    init(
        directory: any UserDirectoryService, profiles: any UserProfileService, session: SessionWriter,
        clock: any WallClock
    ) {
        self.directory = directory
        self.profiles = profiles
        self.session = session
        self.clock = clock
    }

    /// A page of the people that a query asks for.
    ///
    /// - Throws: ``DirectoryError`` of code `validation` with every rule that the query breaks;
    ///   ``AuthenticationError/notAuthenticated``; what the service throws.
    func users(_ query: UserQuery) async throws -> UserPage {
        guard query.problems.isEmpty else { throw DirectoryError.badQuery(query.problems) }
        try requireSignedIn()
        return try await directory.users(query)
    }

    /// One person and their profile, both asked for at the same time.
    ///
    /// - Throws: The first failure, which ends the other request: ``DirectoryError/notFound(_:)``,
    ///   ``AuthenticationError/notAuthenticated``, or what a service throws.
    func person(_ id: String) async throws -> Person {
        try requireSignedIn()
        let (directory, profiles) = (directory, profiles)
        let (user, profile) = try await inParallel(
            { try await directory.user(id) }, { try await profiles.profile(ofAccount: id) })
        return Person(user: user, profile: profile)
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
        try requireSignedIn()
        let outcomes = try await profiles.profiles(ofAccounts: ids)
        return zip(ids, outcomes).map { ProfileLookup(id: $0, outcome: $1) }
    }

    private func requireSignedIn() throws {
        guard let credential = session.credential, !credential.isExpired(at: clock.now()) else {
            throw AuthenticationError.notAuthenticated
        }
    }
}
