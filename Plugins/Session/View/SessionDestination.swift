import AtriumKit

/// The place that shows who is signed in.
struct SessionDestination: Destination {
    static let pattern: LinkPattern = "session"
}

/// The place to sign in at.
struct SignInDestination: Destination {
    static let pattern: LinkPattern = "session/sign-in"
}

/// The place to sign up at, step by step.
struct SignUpDestination: Destination {
    static let pattern: LinkPattern = "session/sign-up"
}
