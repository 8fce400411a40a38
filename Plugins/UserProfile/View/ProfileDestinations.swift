import AtriumKit

/// The place that shows the profile of the signed-in person.
struct ProfileDestination: Destination {
    static let pattern: LinkPattern = "profile"
    static let guards: [GuardName] = [.signedIn]
}

/// The place with the form for the profile; presented, it returns the profile that was submitted.
struct ProfileEditDestination: ResultDestination {
    typealias Result = Profile

    static let pattern: LinkPattern = "profile/edit"
    static let guards: [GuardName] = [.signedIn]
}

/// The place that shows what the signed-in person was told.
struct NotificationsDestination: Destination {
    static let pattern: LinkPattern = "profile/notifications"
    static let guards: [GuardName] = [.signedIn]
}

/// The place that lists people; what is not given has the list's defaults.
struct UserListDestination: Destination {
    static let pattern: LinkPattern = "users"
    static let guards: [GuardName] = [.signedIn]

    var search: String?
    var status: UserStatus?
    var sort: UserSort?
    var page: Int?

    /// What is to be listed.
    var query: UserQuery {
        UserQuery(filter: UserFilter(search: search, status: status), sort: sort ?? .name, page: page ?? 1)
    }
}

extension UserListDestination {
    /// The place that lists what `query` asks for.
    init(_ query: UserQuery) {
        self.init(
            search: query.filter.search, status: query.filter.status,
            sort: query.sort == .name ? nil : query.sort, page: query.page == 1 ? nil : query.page)
    }
}

/// The place that shows one person.
struct UserDestination: Destination {
    static let pattern: LinkPattern = "users/:id"
    static let guards: [GuardName] = [.signedIn]

    let id: String
}
