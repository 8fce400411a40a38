import AtriumKit

struct ProfileView: View {
    let viewModel: ProfileViewModel

    var body: Content {
        Title("Profile")
        Field("firstName", viewModel.profile?.firstName)
        Field("lastName", viewModel.profile?.lastName)
        Field("age", viewModel.profile?.age)
        Field("bio", viewModel.profile?.bio)
        Field("email", viewModel.email)
        Field("complete", viewModel.isComplete)
        if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: "profile refresh") }
        if viewModel.isOutdated {
            Notice(
                .information, "Who is signed in has changed since this was loaded.", hint: "profile refresh")
        } else if viewModel.email != nil, !viewModel.isComplete {
            Notice(
                .information, "Your profile is not filled in yet.",
                hint: "profile/edit submit --firstName FIRST --lastName LAST --age AGE")
        }
    }

    var actions: [Action] {
        Action("edit", "Open the form for the profile", effect: .navigates) {
            try await viewModel.edit()
        }
        Action(
            "refresh", "Load the profile again from the service", effect: .reads,
            loadsFirst: false
        ) {
            try await viewModel.refresh()
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}

struct NotificationsView: View {
    let viewModel: NotificationsViewModel

    var body: Content {
        Title("Notifications")
        Table(viewModel.notifications) {
            Column("id") { $0.id }
            Column("kind", isHidden: true) { $0.kind.rawValue }
            Column("text", label: "Notification") { $0.kind.text }
            Column("createdAt", label: "When") { $0.createdAt }
        }
        if viewModel.isOutdated {
            Notice(
                .information, "Who is signed in has changed since this was loaded.",
                hint: "profile/notifications")
        } else if viewModel.notifications.isEmpty {
            Notice(.information, "You have no notifications.")
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
