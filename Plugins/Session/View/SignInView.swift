import AtriumKit

/// Asks for an account.
struct SignInView: View {
    let viewModel: SignInViewModel

    var body: Content {
        Title("Sign in")
        Notice(.information, "Sign in to go on.", hint: "sign-in --email EMAIL")
    }

    var actions: [Action] {
        Action(
            "sign-in", "Signs in", Argument<String>("email", "The account's address"),
            Argument<String>("password", "The account's password", isSecret: true)
        ) { email, password in
            try await viewModel.signIn(email: email, password: password)
        }
    }
}
