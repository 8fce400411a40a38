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
