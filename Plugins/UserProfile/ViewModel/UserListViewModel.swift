import AtriumKit
import Observation

/// A page of the user directory.
@MainActor
@Observable
final class UserListViewModel: ViewModel {
    private(set) var query: UserQuery
    private(set) var state = LoadState<Stale<UserPage>>.loading

    private let find: any FindUsers
    private let directory: UserDirectoryRepository
    private let session: SessionState
    private var reader: String?

    init(
        destination: UserListDestination, find: any FindUsers, directory: UserDirectoryRepository,
        session: SessionState
    ) {
        query = destination.query
        self.find = find
        self.directory = directory
        self.session = session
        directory.changes.reload(self, where: { model, _ in model.page != nil }) { try await $0.load() }
    }

    var rows: [DirectoryUser] { page?.rows ?? [] }
    var total: Int { page?.total ?? 0 }
    var pageCount: Int { max(1, (total + query.size - 1) / query.size) }
    var hasMore: Bool { page?.hasMore ?? false }
    /// The last page of the list, if this one is beyond it.
    var end: Int? { page.flatMap { $0.total > 0 && $0.page > $0.count ? $0.count : nil } }
    /// The time when the page was last seen in the directory, if it can't be reached now.
    var asOf: Timestamp? { shown?.asOf }
    var isOutdated: Bool { reader != nil && reader != session.user?.id }

    private var page: UserPage? { shown?.value }
    private var shown: Stale<UserPage>? { isOutdated ? nil : state.value }

    func load() async throws {
        try await show(query)
    }

    func list(_ destination: UserListDestination) async throws -> ActionResult {
        try await show(destination.query)
        return .updated
    }

    func next() async throws -> ActionResult {
        guard hasMore else { throw ServiceError.noPage("after", query.page) }
        return try await list(UserListDestination(query.onPage(query.page + 1)))
    }

    /// Shows the page before this one; after the end of the list, its last page.
    func previous() async throws -> ActionResult {
        guard query.page > 1 else { throw ServiceError.noPage("before", 1) }
        return try await list(UserListDestination(query.onPage(end ?? query.page - 1)))
    }

    func link(to page: Int) -> String {
        let link = try? UserListDestination(query.onPage(page)).link()
        return link?.description ?? UserListDestination.pattern.description
    }

    func profiles(of ids: [String]) async throws -> [ProfileRow] {
        let accounts = ids.flatMap { $0.split(separator: ",") }.compactMap { String($0).trimmed.nilIfEmpty }
        return zip(accounts, try await directory.profiles(of: accounts)).map { ProfileRow($0, $1) }
    }

    private func show(_ query: UserQuery) async throws {
        let reader = session.user?.id
        do {
            state = .content(try await find(query.filter, sort: query.sort, page: query.page))
            (self.query, self.reader) = (query, reader)
        } catch {
            if state.isLoading || isOutdated { state = .failed(LoadFailure(error)) }
            throw error
        }
    }
}

extension UserListViewModel {
    var savedState: UserQuery { query }

    func restore(_ state: UserQuery) {
        query = state
    }

    var shownDestination: (any Destination)? { UserListDestination(query) }
}

struct ProfileRow: Hashable, Sendable {
    let id: String
    let name: String?
    let age: Int?
    let outcome: String
    let problem: String?

    init(_ id: String, _ result: Result<Profile?, any Error>) {
        self.id = id
        switch result {
        case .success(let profile):
            (name, age) = (profile?.fullName, profile?.age)
            (outcome, problem) = (profile == nil ? "none" : "found", nil)
        case .failure(let error):
            let failure = LoadFailure(error)
            (name, age) = (nil, nil)
            (outcome, problem) = (failure.code.rawValue, failure.message)
        }
    }
}

/// One user of the directory.
@MainActor
@Observable
final class UserViewModel: ViewModel {
    private let id: String
    private let directory: UserDirectoryRepository
    private let session: SessionState
    /// The user, and the user they were loaded for; nil before ``load()``.
    private var loaded: (person: Stale<Person>, reader: String?)?

    init(id: String, directory: UserDirectoryRepository, session: SessionState) {
        self.id = id
        self.directory = directory
        self.session = session
        directory.changes.reload(self, where: { $0.person != nil && $1.concerns($0.id) }) {
            try await $0.load()
        }
    }

    /// Nil before ``load()``, and if another user is signed in now.
    var person: Person? { shown?.value }

    /// The time when the user was last seen in the directory, if it can't be reached now.
    var asOf: Timestamp? { shown?.asOf }

    var title: String { person?.user.name ?? "User" }

    var link: String { "users/\(id)" }
    var isOutdated: Bool { loaded.map { $0.reader != session.user?.id } ?? false }

    private var shown: Stale<Person>? { isOutdated ? nil : loaded?.person }

    func load() async throws {
        let reader = session.user?.id
        do {
            loaded = (try await directory.person(id), reader)
        } catch let error as ServiceError where error.isAboutSession {
            loaded = nil
            throw error
        }
    }
}
