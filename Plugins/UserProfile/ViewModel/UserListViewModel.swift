import AtriumKit
import Observation

/// The profiles of several users of the directory.
@MainActor
@Observable
final class ProfilesViewModel: ViewModel {
    private let find: any FindUsers
    private let directory: UserDirectoryRepository

    init(find: any FindUsers, directory: UserDirectoryRepository) {
        (self.find, self.directory) = (find, directory)
    }

    /// The profiles of users by id, or else of those that are found.
    func profiles(of ids: [String], search: String?, status: UserStatus?) async throws -> [ProfileRow] {
        var accounts = ids.flatMap { $0.split(separator: ",") }.compactMap { String($0).trimmed.nilIfEmpty }
        if accounts.isEmpty { accounts = try await find(search, status: status).map(\.id) }
        return zip(accounts, try await directory.profiles(of: accounts)).map { ProfileRow($0, $1) }
    }
}

struct ProfileRow: Hashable, Sendable {
    let id: String
    private(set) var profile: Profile?
    private(set) var outcome = "none"
    private(set) var problem: String?

    init(_ id: String, _ result: Result<Profile?, any Error>) {
        self.id = id
        do {
            profile = try result.get()
            if profile != nil { outcome = "found" }
        } catch {
            let failure = LoadFailure(error)
            (outcome, problem) = (failure.code.rawValue, failure.message)
        }
    }

    var name: String? { profile?.fullName }
}

/// One user of the directory.
@MainActor
@Observable
final class UserViewModel: ViewModel {
    private let id: String
    private let directory: UserDirectoryRepository
    private let session: SessionState
    private var loaded: UserScoped<Stale<Person>>

    init(id: String, directory: UserDirectoryRepository, session: SessionState) {
        (self.id, self.directory, self.session) = (id, directory, session)
        loaded = UserScoped(session)
        directory.changes.reload(self, where: { $0.person != nil && $1.concerns($0.id) }) {
            try await $0.load()
        }
    }

    /// Nil before ``load()``, and if another user is signed in now.
    var person: Person? { loaded.value?.value }
    /// The time when the user was last seen in the directory, if it can't be reached now.
    var asOf: Timestamp? { loaded.value?.asOf }
    var isOutdated: Bool { loaded.isOutdated }
    var link: String { "users/\(id)" }

    func load() async throws {
        let reader = session.user
        do {
            loaded.set(try await directory.person(id), for: reader)
        } catch let error as ServiceError where error.isAboutSession {
            loaded.clear()
            throw error
        }
    }
}
