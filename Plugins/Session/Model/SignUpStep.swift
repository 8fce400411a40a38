import AtriumKit

enum SignUpStep: String, FlowStep {
    /// Create an account; done if a user is signed in.
    case account
    /// Fill in a form of another module; done if the session has a name.
    case profile
    case done

    var isSkippable: Bool { self == .profile }
    static let profileForm = "profile/edit"
}
