import AtriumKit

/// Shows what the signed-in person was told, the newest first.
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
                hint: "open profile/notifications")
        } else if viewModel.notifications.isEmpty {
            Notice(.information, "You have no notifications.")
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
