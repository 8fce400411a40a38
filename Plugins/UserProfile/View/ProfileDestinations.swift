import AtriumKit

struct ProfileDestination: Destination {
    static let pattern: LinkPattern = "profile"
    static let guards: [GuardName] = [.signedIn]
}

/// The form for the profile; returns the submitted profile to a screen that presents it.
struct ProfileEditDestination: ResultDestination {
    typealias Result = Profile

    static let pattern: LinkPattern = "profile/edit"
    static let guards: [GuardName] = [.signedIn]
}

struct NotificationsDestination: Destination {
    static let pattern: LinkPattern = "profile/notifications"
    static let guards: [GuardName] = [.signedIn]
}

struct UserListDestination: Destination {
    static let pattern: LinkPattern = "users"
    static let guards: [GuardName] = [.signedIn]

    var search: String?
    var status: UserStatus?
    var sort: UserSort?
    var page: Int?

    var query: UserQuery {
        UserQuery(filter: UserFilter(search: search, status: status), sort: sort ?? .name, page: page ?? 1)
    }
}

extension UserListDestination {
    init(_ query: UserQuery) {
        self.init(
            search: query.filter.search, status: query.filter.status,
            sort: query.sort == .name ? nil : query.sort, page: query.page == 1 ? nil : query.page)
    }
}

struct UserDestination: Destination {
    static let pattern: LinkPattern = "users/:id"
    static let guards: [GuardName] = [.signedIn]

    let id: String
}
