import AtriumKit

/// The profile of the signed-in person.
struct ProfileDestination: Destination {
    static let pattern: LinkPattern = "profile"
    static let guards: [GuardName] = [.signedIn]
}

/// A form for the profile.
///
/// Returns the submitted profile to a screen that presents it.
struct ProfileEditDestination: ResultDestination {
    typealias Result = Profile

    static let pattern: LinkPattern = "profile/edit"
    static let guards: [GuardName] = [.signedIn]
}

/// What the signed-in person was told.
struct NotificationsDestination: Destination {
    static let pattern: LinkPattern = "profile/notifications"
    static let guards: [GuardName] = [.signedIn]
}

/// The people that there are.
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

/// One of them.
struct UserDestination: Destination {
    static let pattern: LinkPattern = "users/:id"
    static let guards: [GuardName] = [.signedIn]

    let id: String
}
