import AtriumKit

/// Who is signed in.
struct SessionDestination: Destination {
    static let pattern: LinkPattern = "session"
}

/// The sign-in.
struct SignInDestination: Destination {
    static let pattern: LinkPattern = "session/sign-in"
}

/// The sign-up, step by step.
struct SignUpDestination: Destination {
    static let pattern: LinkPattern = "session/sign-up"
}

extension SessionState {
    /// Whether a destination is the current one, so that its actions can be typed without its link.
    func isCurrent(_ destination: some Destination) -> Bool {
        guard let current = navigationState.links.last else { return false }
        return (try? destination.link().description) == current
    }
}
