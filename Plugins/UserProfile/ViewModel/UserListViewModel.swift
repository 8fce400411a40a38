import AtriumKit
import Observation

/// The user directory: which page of which people is shown.
@MainActor
@Observable
final class UserListViewModel: ViewModel {
    /// What is listed; kept with the stack entry.
    private(set) var query: UserQuery
    private(set) var state = LoadState<Stale<UserPage>>.loading

    private let find: any FindUsers
    private let directory: UserDirectoryRepository
    private let session: SessionState
    /// Whom the page was loaded for.
    private var reader: String?

    init(
        place: UserListDestination, find: any FindUsers, directory: UserDirectoryRepository,
        session: SessionState
    ) {
        query = place.query
        self.find = find
        self.directory = directory
        self.session = session
    }

    /// The people of the page; none where it was loaded for somebody else.
    var rows: [DirectoryUser] { page?.rows ?? [] }
    /// How many people the whole list has.
    var total: Int { page?.total ?? 0 }
    /// Whether there are people after the page.
    var hasMore: Bool { page?.hasMore ?? false }
    /// The last page of the list, where the page is behind it.
    var end: Int? { page.flatMap { $0.total > 0 && $0.page > $0.count ? $0.count : nil } }
    /// When the page was last seen in the directory, where that can't be asked now.
    var asOf: Timestamp? { shown?.asOf }
    /// Whether the page was not loaded for whoever is signed in now, and is therefore not shown.
    var isOutdated: Bool { reader != nil && reader != session.user?.id }

    private var page: UserPage? { shown?.value }
    private var shown: Stale<UserPage>? { isOutdated ? nil : state.value }

    func load() async throws {
        try await show(query)
    }

    /// Shows another list.
    ///
    /// - Throws: ``DirectoryError`` where the query breaks a rule; the list stays as it is.
    func list(_ place: UserListDestination) async throws -> ActionResult {
        try await show(place.query)
        return .updated
    }

    /// Shows the page after this one.
    func next() async throws -> ActionResult {
        guard hasMore else { throw DirectoryError.noPage("after", query.page) }
        return try await list(UserListDestination(query.onPage(query.page + 1)))
    }

    /// Shows the page before this one; past the end, the last one that there is.
    func previous() async throws -> ActionResult {
        guard query.page > 1 else { throw DirectoryError.noPage("before", 1) }
        return try await list(UserListDestination(query.onPage(end ?? query.page - 1)))
    }

    /// The link of another page of the list.
    func link(to page: Int) -> String {
        let link = try? UserListDestination(query.onPage(page)).link()
        return link?.description ?? UserListDestination.pattern.description
    }

    /// The profiles of several people, in the order of `ids`.
    func profiles(of ids: [String]) async throws -> [ProfileRow] {
        let wanted = ids.flatMap { $0.split(separator: ",") }.map { String($0).trimmed }
        return try await directory.profiles(of: wanted.filter { !$0.isEmpty }).map(ProfileRow.init)
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

/// What became of asking for one of several profiles, as a table shows it.
struct ProfileRow: Hashable, Sendable {
    let id: String
    let name: String?
    let age: Int?
    /// "found", "none" or, where it could not be read, the error's code.
    let outcome: String
    /// Why it could not be read; nil where it could.
    let problem: String?

    init(_ lookup: ProfileLookup) {
        id = lookup.id
        switch lookup.outcome {
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
