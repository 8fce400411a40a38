import AtriumKit

/// Shows who is signed in.
struct SessionView: View {
    let viewModel: SessionViewModel

    var body: Content {
        Title("Session")
        Field("signedIn", viewModel.isSignedIn)
        Field("email", viewModel.email)
        Field("displayName", viewModel.displayName)
        if !viewModel.places.isEmpty { Field("places", LinkList(links: viewModel.places)) }
        Field("expiresAt", viewModel.expiresAt)
        if viewModel.hasExpired {
            Notice(.warning, "Your session has ended.", hint: "session sign-in --email EMAIL")
        } else if !viewModel.isSignedIn {
            Notice(.information, "Nobody is signed in.", hint: "session sign-in --email EMAIL")
        }
    }

    var actions: [Action] {
        Action(
            "sign-up", "Creates an account and signs in", Argument<String>("email", "The account's address"),
            Argument<String>("password", "At least 8 characters", isSecret: true)
        ) { email, password in
            try await viewModel.signUp(email: email, password: password)
        }
        Action(
            "sign-in", "Signs in, in place of whoever is signed in",
            Argument<String>("email", "The account's address"),
            Argument<String>("password", "The account's password", isSecret: true)
        ) { email, password in
            try await viewModel.signIn(email: email, password: password)
        }
        Action(
            "sign-out", "Ends the session", Argument("home", "Also leaves all places", default: false)
        ) { leavesPlaces in
            try await viewModel.signOut(leavingPlaces: leavesPlaces)
        }
    }

    func load() async throws {
        viewModel.refresh()
    }
}
