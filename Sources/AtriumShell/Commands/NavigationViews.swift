@_spi(Host) internal import AtriumKit
internal import AtriumNavigation

/// How the stack and what explains it are shown.
@MainActor
enum NavigationViews {
    /// Where one is and who one is.
    static func place(_ host: ShellHost) -> Content {
        let state = host.coordinator.state
        let ahead = state.ahead.last
        return Content {
            Field("link", label: "Place", host.place)
            Field("person", host.person)
            Field("environment", host.environment.rawValue)
            if let ahead { Field("forward", ahead.link) }
            if let wanted = state.pendingLink { Field("wanted", label: "Waits for", wanted) }
            if !state.entries.isEmpty {
                Table(state.entries.reversed(), key: "stack") {
                    Column("link", label: "Stack, top first") { $0.link }
                    Column("module") { $0.module }
                    Column("note") { note(on: $0, host) }
                }
            }
        }
    }

    private static func note(on entry: StackEntry, _ host: ShellHost) -> String? {
        var words: [String] = []
        if entry.presentation != nil { words.append("presented") }
        if let intent = entry.intents.last {
            words.append("then \(intent.request.link.map { "'\($0)'" } ?? "the place below")")
        }
        if !host.coordinator.canShow(entry) { words.append("not there now") }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    static func links(_ links: [KnownLink]) -> Content {
        Content {
            Table(links) {
                Column("link") { $0.pattern.description }
                Column("module") { $0.module }
                Column("guards") { NameList($0.guards) }
                Column("loaded") { $0.isLoaded }
                Column("summary") { $0.summary }
            }
        }
    }

    // MARK: - Explaining

    /// The most patterns of one first segment that are told.
    private static let mostPatterns = 40

    static func explanation(_ explanation: LinkExplanation, loads module: String?) -> Content {
        Content {
            Title(explanation.link.description)
            Field("leadsTo", label: "Leads to", explanation.destination)
            if let module { Field("loads", label: "Loads first", module) }
            Table(Array(explanation.attempts.prefix(Self.mostPatterns)), key: "patterns") {
                Column("pattern") { $0.pattern.description }
                Column("module") { $0.module }
                Column("outcome") { $0.explanation }
            }
            let verdicts = explanation.hops.flatMap { hop in hop.verdicts.map { (hop, $0) } }
            if !verdicts.isEmpty {
                Table(verdicts, key: "guards") {
                    Column("place") { $0.0.link }
                    Column("guard") { $0.1.guardName }
                    Column("module") { $0.1.module }
                    Column("verdict") { $0.1.text }
                }
            }
            if let module {
                Notice(
                    .information, "What guards its screen asks for is known once \(module) is loaded.",
                    hint: "open \(explanation.link)")
            } else if let problem = explanation.problem {
                Notice(.problem, problem.message, hint: problem.hint)
            } else if explanation.hops.count > 1 {
                Notice(
                    .information,
                    "The last of these places is shown; the first follows once its guard allows it.")
            }
        }
    }

    static func alive(_ objects: [AliveObject]) -> Content {
        Content {
            Field("count", objects.count)
            Table(objects) {
                Column("type") { $0.name }
                Column("place") { $0.link }
                Column("reason", label: "Why") { $0.reason }
                Column("tasks") { NameList($0.tasks) }
            }
            if objects.isEmpty { Notice(.information, "No view model is alive.") }
        }
    }

    static func journal(_ records: some Collection<NavigationJournal.Record>) -> Content {
        Content {
            Table(Array(records)) {
                Column("number", label: "No.") { $0.number }
                Column("request") { ShownRequest(request: $0.request) }
                Column("outcome") { $0.outcome.rawValue }
                Column("error") { $0.error }
                Column("link", label: "Then at") { $0.link }
            }
            if records.isEmpty { Notice(.information, "Nothing was asked of the stack yet.") }
        }
    }

    static func replay(_ report: ReplayReport) -> Content {
        Content {
            Field("replayed", report.count)
            Table(report.differences, key: "differences") {
                Column("number", label: "No.") { $0.number }
                Column("request") { $0.request }
                Column("expected") { $0.expected }
                Column("found") { $0.found }
            }
            if report.differences.isEmpty {
                Notice(.success, "Everything came out as it is recorded.")
            } else {
                Notice(.warning, "Some requests came out differently than is recorded.", hint: "nav journal")
            }
        }
    }
}

/// A request in words for people, as an object for programs.
private struct ShownRequest: Displayable {
    let request: NavigationRequest

    var displayText: String { request.description }
    var json: JSONValue { .object(request.json) }
}

extension NavigationRequest {
    /// The request in the form in which it is read again.
    var json: JSONObject {
        var object: JSONObject = ["operation": .string(operation.rawValue)]
        if let link { object["link"] = .string(link) }
        if let links { object["links"] = .array(links.map { .string($0) }) }
        if let slot { object["slot"] = .string(slot) }
        if let entry { object["entry"] = .integer(Int64(entry)) }
        if let result {
            object["result"] = .object(result.json.map { ["json": .string($0)] } ?? [:])
        }
        if isForced == true { object["isForced"] = true }
        return object
    }
}

extension NavigationError: DetailedError {
    /// What speaks against leaving, where several screens object.
    var details: Content {
        guard objections.count > 1 else { return Content() }
        return Content {
            Table(objections, key: "objections") {
                Column("place") { $0.link }
                Column("reason") { $0.objection.reason }
                Column("hint", label: "Try") { $0.objection.hint }
            }
        }
    }
}
