import AtriumKit

struct SessionView: View {
    let viewModel: SessionViewModel

    var body: Content {
        Title("Session")
        Field("signedIn", viewModel.isSignedIn)
        Field("email", viewModel.email)
        Field("displayName", viewModel.displayName)
        if !viewModel.stack.isEmpty { Field("stack", LinkList(links: viewModel.stack)) }
        Field("expiresAt", viewModel.expiresAt.map { SessionEnd(moment: $0, left: viewModel.lifeLeft) })
        if let ending = viewModel.ending {
            Notice(.warning, ending.text, hint: "session sign-in --email EMAIL")
        } else if !viewModel.isSignedIn {
            Notice(.information, "Nobody is signed in.", hint: "session sign-in --email EMAIL")
        }
    }

    var actions: [Action] {
        Action(
            "sign-up", "Create an account and sign in", Argument<String>("email", "The account's address"),
            Argument<String>("password", "At least 8 characters", isSecret: true).askedTwice()
        ) { email, password in
            try await viewModel.signUp(email: email, password: password)
        }
        Action(
            "sign-in", "Sign in, instead of the present person",
            Argument<String>("email", "The account's address"),
            Argument<String>("password", "The account's password", isSecret: true)
        ) { email, password in
            try await viewModel.signIn(email: email, password: password)
        }
        Action(
            "sign-out", "Sign out", Argument("home", "Also leave all screens", default: false)
        ) { leavesScreens in
            try await viewModel.signOut(leavingScreens: leavesScreens)
        }
        Action(
            "sign-out-everywhere", "End all your sessions, on other machines too", effect: .destroys,
            asking: "This ends all your sessions, on other machines too. Go on?"
        ) {
            try await viewModel.signOutEverywhere()
        }
        Action("sessions", "List your sessions, here and elsewhere", effect: .reads) {
            .content(SessionTable(records: try await viewModel.sessions()).body)
        }
        Action("observers", "List the observers of the session", effect: .reads) {
            .content(ObserverTable(names: viewModel.observers).body)
        }
        Action(
            "reset", "Forget the session here, without ending it at the service", effect: .destroys,
            asking: "This forgets the session here without ending it at the service. Go on?"
        ) {
            try await viewModel.reset()
        }
    }

    func load() async throws {
        await viewModel.refresh()
    }
}

/// Links of stack entries: a line of text for users, a list for programs.
struct LinkList: Displayable {
    let links: [String]

    var displayText: String { links.joined(separator: ", ") }
    var json: JSONValue { .array(links.map { .string($0) }) }
}

/// The end of a session: for users with the remaining time, for programs as a time.
struct SessionEnd: Displayable {
    let moment: Timestamp
    let left: String?

    var displayText: String { left.map { "\(moment.displayText), \($0)" } ?? moment.displayText }
    var json: JSONValue { moment.json }
}

struct SessionTable: View {
    let records: [SessionRecord]

    var body: Content {
        Title("Sessions")
        Table(records) {
            Column("id") { $0.id }
            Column("createdAt", label: "Signed in") { $0.createdAt }
            Column("lastUsedAt", label: "Last used") { $0.lastUsedAt }
            Column("isCurrent", label: "This one") { $0.isCurrent }
        }
    }
}

struct ObserverTable: View {
    let names: [String]

    var body: Content {
        Title("Observers")
        Table(names) {
            Column("observer") { $0 }
        }
        if names.isEmpty { Notice(.information, "The session has no observers.") }
    }
}
