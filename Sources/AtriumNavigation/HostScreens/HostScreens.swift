@_spi(Host) internal import AtriumKit

/// The screens of the host itself: no module registers them, and no link leads to them.
@MainActor
enum HostScreens {
    /// The module name that entries of such screens keep.
    nonisolated static let module = "Atrium"

    private static let alert = ScreenRegistration(Alert.self, module: module) { alert, _ in
        AlertView(alert: alert)
    }

    static func screen(for destination: any Destination) -> ScreenRegistration? {
        destination is Alert ? alert : nil
    }

    static func screen(of entry: StackEntry) -> ScreenRegistration? {
        entry.module == module && entry.destination == alert.name ? alert : nil
    }
}

extension StackEntry {
    /// Whether it shows a screen of the host itself, as a question.
    package var isOfHost: Bool { module == HostScreens.module }
}

/// A message with the answers that it takes.
struct AlertView: View {
    let alert: Alert

    var body: Content {
        Title(alert.title)
        if let message = alert.message { Text(message) }
        Table(alert.answers, key: "answers") {
            Column("name", label: "Answer") { $0.name }
            Column("role", isHidden: true) { $0.role.rawValue }
            Column("summary") { $0.summary }
        }
    }

    var actions: [Action] {
        alert.answers.map { answer in
            Action(answer.name, answer.summary, effect: .navigates) {
                try .dismiss(returning: answer.name)
            }
        }
    }
}
