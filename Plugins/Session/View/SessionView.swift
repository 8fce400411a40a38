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
        Field("expiresAt", viewModel.expiresAt.map { SessionEnd(moment: $0, left: viewModel.lifeLeft) })
        if let ending = viewModel.ending {
            Notice(.warning, ending.text, hint: "session sign-in --email EMAIL")
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
        Action(
            "sign-out-everywhere", "Ends all your sessions, on other machines too", effect: .destroys,
            asking: "This ends all your sessions, on other machines too. Go on?"
        ) {
            try await viewModel.signOutEverywhere()
        }
        Action("sessions", "Lists your sessions, here and elsewhere", effect: .reads) {
            .content(SessionTable(records: try await viewModel.sessions()).body)
        }
        Action("observers", "Lists who is told of changes of the session", effect: .reads) {
            .content(ObserverTable(names: viewModel.observers).body)
        }
        Action(
            "reset", "Forgets the session of this process without asking the service", effect: .destroys,
            asking: "The session is forgotten here and not ended at the service. Go on?"
        ) {
            try await viewModel.reset()
        }
    }

    func load() async throws {
        viewModel.refresh()
    }
}
