import AtriumKit

/// The place that shows the profile of the signed-in person.
struct ProfileDestination: Destination {
    static let pattern: LinkPattern = "profile"
    static let guards: [GuardName] = [.signedIn]
}

/// The place with the form for the profile.
struct ProfileEditDestination: Destination {
    static let pattern: LinkPattern = "profile/edit"
    static let guards: [GuardName] = [.signedIn]
}

/// The place that shows what the signed-in person was told.
struct NotificationsDestination: Destination {
    static let pattern: LinkPattern = "profile/notifications"
    static let guards: [GuardName] = [.signedIn]
}
