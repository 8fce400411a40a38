import AtriumKit

/// Sign in.
struct SignInDestination: Destination {
    static let pattern: LinkPattern = "session/sign-in"
}

struct SignInView: View {
    let viewModel: SignInViewModel

    var body: Content {
        Title("Sign in")
        Field("email", viewModel.email)
        let isHere = viewModel.isCurrent
        if let email = viewModel.email {
            Notice(.information, "You are signed in as \(email).", hint: isHere ? "back" : "session")
        } else {
            let command = isHere ? "sign-in --email EMAIL   or   sign-up" : "session sign-in --email EMAIL"
            Notice(.information, "Sign in, or sign up if you have no account yet.", hint: command)
        }
    }

    var actions: [Action] {
        Action(
            "sign-in", "Sign in", CredentialArguments.email, CredentialArguments.password,
            perform: viewModel.signIn)
        Action("sign-up", "Open the sign-up", effect: .navigates, perform: viewModel.signUp)
    }

    func load() async throws { viewModel.load() }
}
