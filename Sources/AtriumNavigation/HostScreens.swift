@_spi(Host) package import AtriumKit

/// The screens of the host itself; no link opens them.
@MainActor
enum HostScreens {
    /// The module name in their stack entries.
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
    /// True if it shows a screen of the host itself, such as an alert.
    package var isOfHost: Bool { module == HostScreens.module }
}

/// Shows a message and the answers to choose from.
struct AlertView: View {
    let alert: Alert

    var body: Content {
        Title(alert.title)
        if let message = alert.message { Text(message) }
        Table(alert.answers) {
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

/// Stands in for the screen of an entry that can't be shown now, and gives the reason.
package struct PlaceholderView: View {
    private let entry: StackEntry
    private let reason: NavigationError

    package init(_ entry: StackEntry, _ reason: NavigationError) {
        self.entry = entry
        self.reason = reason
    }

    package var body: Content {
        Title(entry.link)
        Field("module", entry.module)
        Field("placeholder", label: "Shown", false)
        Notice(.warning, reason.message + " It stays on the stack.", hint: reason.hint)
    }
}
