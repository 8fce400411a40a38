import AtriumKit

struct SignInView: View {
    let viewModel: SignInViewModel

    var body: Content {
        Title("Sign in")
        Field("email", viewModel.email)
        if let email = viewModel.email {
            Notice(
                .information, "You are signed in as \(email).", hint: viewModel.isCurrent ? "back" : "session"
            )
        } else {
            Notice(.information, "Sign in, or sign up if you have no account yet.", hint: hint)
        }
    }

    private var hint: String {
        viewModel.isCurrent ? "sign-in --email EMAIL   or   sign-up" : "session sign-in --email EMAIL"
    }

    var actions: [Action] {
        Action(
            "sign-in", "Sign in", Argument<String>("email", "The account's address"),
            Argument<String>("password", "The account's password", isSecret: true)
        ) { email, password in
            try await viewModel.signIn(email: email, password: password)
        }
        Action("sign-up", "Open the sign-up", effect: .navigates) {
            try await viewModel.signUp()
        }
    }

    func load() async throws {
        viewModel.refresh()
    }
}
