import AtriumKit

/// What a person goes through to sign up.
enum SignUpStep: String, FlowStep {
    /// Creating an account; done where somebody is signed in.
    case account
    /// Telling who they are, in a form of another module; done where the session has a name.
    case profile
    /// A welcome.
    case done

    var isSkippable: Bool { self == .profile }
}

/// What is fixed about signing up.
enum SignUpFlow {
    /// What people know the flow by.
    static let name = "Sign up"
    /// The link of the form for profiles, whichever module has it.
    static let profileForm = "profile/edit"
}
