import AtriumKit

struct ProfileView: View {
    let viewModel: ProfileViewModel

    var body: Content {
        Title("Profile")
        RecordDraftView(RecordDraft(viewModel.profile ?? Profile()))
        Field("email", viewModel.email)
        Field("complete", viewModel.isComplete)
        if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: "profile refresh") }
        OutdatedNotice(viewModel.isOutdated, hint: "profile refresh")
        if viewModel.email != nil, !viewModel.isComplete {
            Notice(
                .information, "Your profile is not filled in yet.",
                hint: "profile/edit submit --firstName FIRST --lastName LAST --age AGE")
        }
    }

    var actions: [Action] {
        Action("edit", "Open the form for the profile", effect: .navigates) { try await viewModel.edit() }
        Action(
            "refresh", "Load the profile again from the service", effect: .reads, loadsFirst: false
        ) { try await viewModel.refresh() }
    }

    func load() async throws { try await viewModel.load() }
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
        OutdatedNotice(viewModel.isOutdated, hint: "profile/notifications")
        if viewModel.notifications.isEmpty, !viewModel.isOutdated {
            Notice(.information, "You have no notifications.")
        }
    }

    func load() async throws { try await viewModel.load() }
}
