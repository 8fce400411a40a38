import AtriumKit

/// Who is signed in.
struct SessionDestination: Destination {
    static let pattern: LinkPattern = "session"
}

/// Sign in.
struct SignInDestination: Destination {
    static let pattern: LinkPattern = "session/sign-in"
}

/// Sign up, step by step.
struct SignUpDestination: Destination {
    static let pattern: LinkPattern = "session/sign-up"
}

extension SessionState {
    /// True if a destination is the current one, whose actions can be typed without its link.
    func isCurrent(_ destination: some Destination) -> Bool {
        guard let current = navigationState.links.last else { return false }
        return (try? destination.link().description) == current
    }
}
