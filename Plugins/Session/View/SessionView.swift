import AtriumKit

/// Who is signed in.
struct SessionDestination: Destination {
    static let pattern: LinkPattern = "session"
}

struct SessionView: View {
    let viewModel: SessionViewModel

    var body: Content {
        Title("Session")
        Field("signedIn", viewModel.isSignedIn)
        Field("email", viewModel.email)
        Field("displayName", viewModel.displayName)
        if !viewModel.stack.isEmpty { Field("stack", viewModel.stack) }
        Field("expiresAt", viewModel.expiresAt, text: viewModel.expiryText)
        if let ending = viewModel.ending {
            Notice(.warning, ending.rawValue, hint: "session sign-in --email EMAIL")
        } else if !viewModel.isSignedIn {
            Notice(.information, "Nobody is signed in.", hint: "session sign-in --email EMAIL")
        }
    }

    var actions: [Action] {
        Action(
            "sign-up", "Create an account and sign in", CredentialArguments.email,
            CredentialArguments.newPassword, perform: viewModel.signUp)
        Action(
            "sign-in", "Sign in, instead of the present person", CredentialArguments.email,
            CredentialArguments.password, perform: viewModel.signIn)
        Action(
            "sign-out", "Sign out", Argument("home", "Also leave all screens", default: false),
            perform: viewModel.signOut)
        Action(
            "sign-out-everywhere", "End all your sessions, on other machines too", effect: .destroys,
            asking: "This ends all your sessions, on other machines too. Continue?",
            perform: viewModel.signOutEverywhere)
        Action("sessions", "List your sessions, here and elsewhere", effect: .reads) {
            .content(table(of: try await viewModel.sessions()))
        }
        Action("observers", "List the observers of the session", effect: .reads) { .content(observers) }
        Action(
            "reset", "Forget the session here, without ending it at the service", effect: .destroys,
            asking: "This forgets the session here without ending it at the service. Continue?",
            perform: viewModel.reset)
    }

    @ContentBuilder private func table(of sessions: [SessionRecord]) -> Content {
        Title("Sessions")
        Table(sessions) {
            Column("id") { $0.id }
            Column("createdAt", label: "Signed in") { $0.createdAt }
            Column("lastUsedAt", label: "Last used") { $0.lastUsedAt }
            Column("isCurrent", label: "This one") { $0.isCurrent }
        }
    }

    @ContentBuilder private var observers: Content {
        Title("Observers")
        Table(viewModel.observers) { Column("observer") { $0 } }
        if viewModel.observers.isEmpty { Notice(.information, "The session has no observers.") }
    }

    func load() async throws { await viewModel.load() }
}

/// The arguments of the actions that sign up or in.
enum CredentialArguments {
    static let email = Argument<String>("email", "The account's address")
    static let password = Argument<String>("password", "The account's password", isSecret: true)
    static let newPassword = Argument<String>("password", "At least 8 characters", isSecret: true)
        .askedTwice()
}
