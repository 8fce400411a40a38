@_spi(Host) internal import AtriumKit
internal import AtriumNavigation
internal import AtriumText
internal import AtriumViews

@MainActor
enum NavigationViews {
    static func location(_ scene: Scene) -> Content {
        let state = scene.coordinator.state
        let waiting = scene.coordinator.waitingLinks.map(\.link)
        return Content {
            Field("link", scene.currentLink)
            if let shown = scene.coordinator.shownLink { Field("shown", label: "Shows", shown) }
            Field("person", scene.host.person)
            Field("environment", scene.host.environment.rawValue)
            if let ahead = state.ahead.last { Field("forward", ahead.link) }
            if !waiting.isEmpty { Field("waiting", label: "Waits for", Worded(waiting)) }
            Table(state.entries.reversed()) {
                Column("link", label: "Stack, top first", isHidden: state.entries.isEmpty) { $0.link }
                Column("module", isHidden: state.entries.isEmpty) { $0.module }
                Column("note", isHidden: state.entries.isEmpty) { note(on: $0, scene) }
            }
        }
    }

    private static func note(on entry: StackEntry, _ scene: Scene) -> String? {
        var words: [String] = []
        if entry.presentation != nil { words.append("presented") }
        if let intent = entry.intents.last {
            words.append("then \(intent.request.link.map { "'\($0)'" } ?? "the screen below")")
        }
        if !scene.coordinator.canShow(entry) { words.append("unavailable") }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    static func links(_ links: [KnownLink]) -> Content {
        Content {
            Table(links) {
                Column("link") { $0.pattern.description }
                Column("module") { $0.module }
                Column("guards") { Worded($0.guards) }
                Column("loaded") { $0.isLoaded }
                Column("summary") { $0.summary }
            }
            ClosingLine.total(links.count, "link")
        }
    }

    // MARK: - Explaining

    private static let mostPatterns = 40

    static func explanation(_ explanation: LinkExplanation, loads module: String?) -> Content {
        Content {
            Title(explanation.link.shown.withShortWords)
            Field("leadsTo", label: "Leads to", explanation.destination)
            if let module { Field("loads", label: "Loads first", module) }
            Table(Array(explanation.attempts.prefix(Self.mostPatterns))) {
                Column("pattern") { $0.pattern.description }
                Column("module") { $0.module }
                Column("outcome") { $0.explanation }
            }
            if !explanation.verdicts.isEmpty {
                Table(explanation.verdicts, key: "guards") {
                    Column("link") { $0.link }
                    Column("guard") { $0.guardName }
                    Column("module") { $0.module }
                    Column("verdict") { $0.text }
                }
            }
            if let module {
                Notice(
                    .information, "The guards of its screen are known once \(module) is loaded.",
                    hint: "open \(explanation.link)")
            } else if let problem = explanation.problem {
                Notice(.problem, problem.message, hint: problem.hint)
            } else if explanation.path.count > 1 {
                Notice(
                    .information, "The last of these links opens; the first opens once its guard allows it.")
            }
        }
    }

    static func alive(_ objects: [AliveObject]) -> Content {
        Content {
            Field("count", objects.count)
            Table(objects) {
                Column("type") { $0.name }
                Column("link") { $0.link }
                Column("reason", label: "Why") { $0.reason }
                Column("tasks") { Worded($0.tasks) }
            }
            if objects.isEmpty { Notice(.information, "No view model is alive.") }
        }
    }
}

extension NavigationError: DetailedError {
    var details: Content? {
        guard objections.count > 1 else { return nil }
        return Content {
            Table(objections) {
                Column("link") { $0.link }
                Column("reason") { $0.objection.reason }
                Column("hint", label: "Try") { $0.objection.hint }
            }
        }
    }
}

/// The screen at the root: the links that can be opened without values.
@MainActor
struct Home: View {
    let scene: Scene

    var body: Content {
        Title("Atrium")
        Field("link", "home")
        let known = scene.knownLinks
        if known.isEmpty {
            Notice(.warning, "No module is active, so there is no screen to open.", hint: "modules")
        } else {
            Table(known.filter { !$0.pattern.hasArguments }) {
                Column("link", label: "Screen") { $0.pattern.description }
                Column("summary") { $0.summary }
            }
        }
    }
}

enum RedirectViews {
    /// Says why another screen is shown, and that the requested one follows.
    static func message(_ arrival: Arrival, isOnStack: Bool = true) -> String? {
        guard let redirect = arrival.redirect else { return nil }
        guard isOnStack else { return redirect.reason }
        let target = redirect.request.link.map { "'\($0)'" } ?? "the requested screen"
        return "\(redirect.reason) You will continue to \(target)."
    }

    @MainActor
    static func resumed(_ arrival: Arrival, _ coordinator: Coordinator) -> String {
        message(arrival) ?? "Continued to '\(coordinator.currentEntry?.link ?? "home")'."
    }
}
