@_spi(Host) import AtriumKit

@testable import AtriumCommands
@testable import AtriumNavigation

extension ScreenState {
    /// The host's own screens: alerts, a confirmation, numbered actions, and the placeholder of a screen.
    static let host = [
        ScreenState("an alert") {
            AlertView(alert: Alert(HostileTexts.names[0], message: HostileTexts.long)).body
        },
        ScreenState("an alert with answers") {
            let answers = HostileTexts.names.map { Alert.Answer($0, HostileTexts.names[1]) }
            return AlertView(alert: Alert(HostileTexts.long, answers: answers)).body
        },
        ScreenState("a confirmation") {
            AlertView(alert: .confirmation("Delete '\(HostileTexts.long)'?", doing: "Deletes the entity"))
                .body
        },
        ScreenState("a failure notice") {
            AlertView(alert: Alert(Mishap(), title: "Your profile is stored")).body
        },
        ScreenState("a place that is gone") {
            let link = Link(segments: ["entities", HostileTexts.names[1]])
            let entry = StackEntry(
                id: 1, module: "Entities", destination: "entity", version: 1, link: link.description,
                properties: ArchivedDestination(json: "{}"))
            return PlaceholderView(entry, .unavailable(entry)).body
        },
        ScreenState("actions") {
            ActionViews.numbered(try Lodgings().unloaded("entities").view.actions)
        },
    ]

    private struct Mishap: ExplainedError {
        let code: ErrorCode = "mishap"
        let message = HostileTexts.long
        let hint: String? = HostileTexts.names[7]
    }
}
