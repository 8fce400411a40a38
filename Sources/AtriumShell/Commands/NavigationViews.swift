@_spi(Host) internal import AtriumKit
internal import AtriumNavigation
internal import AtriumRuntime
internal import AtriumStorage
internal import AtriumText

@MainActor
enum NavigationViews {
    static func location(_ scene: Scene) -> Content {
        let state = scene.coordinator.state
        let waiting = scene.coordinator.waitingLinks.map(\.link)
        return Content {
            Field("link", scene.currentLink)
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

    static func waiting(_ links: [NavigationState.WaitingLink]) -> Content {
        Content {
            if links.isEmpty { Notice(.information, "No link waits for its module.") }
            Table(links) {
                Column("link") { $0.link }
                Column("since") { $0.since }
            }
        }
    }

    // MARK: - Explaining

    private static let mostPatterns = 40

    static func explanation(_ explanation: LinkExplanation, loads module: String?) -> Content {
        Content {
            Title(explanation.link.shown)
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

    static func journal(_ records: some Collection<NavigationJournal.Record>) -> Content {
        Content {
            Table(Array(records)) {
                Column("number", label: "No.") { $0.number }
                Column("request") {
                    Worded(Redaction.shown($0.request.description), .object($0.request.json))
                }
                Column("outcome") { $0.outcome.rawValue }
                Column("error") { $0.error }
                Column("link", label: "Then at") { $0.link.map(Link.shown) }
            }
            if records.isEmpty { Notice(.information, "No navigation yet.") }
        }
    }

    static func replay(_ report: ReplayReport) -> Content {
        Content {
            Field("replayed", report.count)
            Table(report.differences) {
                Column("number", label: "No.") { $0.number }
                Column("request") { $0.request }
                Column("expected") { $0.expected }
                Column("found") { $0.found }
            }
            if report.differences.isEmpty {
                Notice(.success, "All requests had the recorded outcome.")
            } else {
                Notice(.warning, "Some requests had another outcome than recorded.", hint: "nav journal")
            }
        }
    }
}

extension NavigationRequest {
    /// The request as `nav replay` reads it.
    var json: JSONObject {
        var object: JSONObject = ["operation": .string(operation.rawValue)]
        if let link { object["link"] = .string(Link.shown(link)) }
        if let links { object["links"] = .array(links.map { .string(Link.shown($0)) }) }
        if let slot { object["slot"] = .string(slot) }
        if let entry { object["entry"] = .integer(Int64(entry)) }
        if let result { object["result"] = .object(result.json.map { ["json": .string($0)] } ?? [:]) }
        if isForced == true { object["isForced"] = true }
        return object
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
        let links = scene.knownLinks.filter { !$0.pattern.hasArguments }
        if scene.knownLinks.isEmpty {
            Notice(.warning, "No module is active, so there is no screen to open.", hint: "modules")
        } else {
            Table(links) {
                Column("link", label: "Screen") { $0.pattern.description }
                Column("summary") { $0.summary }
            }
        }
    }
}

/// Reads the output of `nav journal --json`: the whole reply, or only the list of records.
enum JournalFile {
    @MainActor
    static func read(_ path: String) async throws -> [NavigationJournal.Record] {
        let bytes = try await UserFile.read(path)
        if let text = String(validating: bytes, as: UTF8.self) {
            if let records = try? StateCoding.decode([NavigationJournal.Record].self, from: text) {
                return records
            }
            if let reply = try? StateCoding.decode(Reply.self, from: text) { return reply.result.rows }
        }
        throw ShellError(
            "badJournal", "'\(path.shortened)' is not a journal of navigation.",
            hint: "atrium --json -c 'nav journal' > FILE")
    }

    private struct Reply: Decodable {
        let result: Result

        struct Result: Decodable { let rows: [NavigationJournal.Record] }
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
