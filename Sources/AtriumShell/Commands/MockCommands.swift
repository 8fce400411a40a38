@_spi(Host) internal import AtriumKit
internal import AtriumRuntime

/// The commands about the mock services.
@MainActor
struct MockCommands {
    let host: ShellHost
    /// Whether arguments carry the names that completion offers.
    var offersNames = false

    var all: [Action] { [mock, set, calls, reset] }

    private var mock: Action {
        Action("mock", "List the mock services and their scenarios", effect: .reads) {
            try requireMock()
            return .content(MockViews.list(services, host.mocks))
        }
    }

    private var set: Action {
        Action(
            "mock set", "Choose the scenario of a mock service, from its next call on", effect: .changes,
            Argument<String>("service", "The service, as 'mock' lists it", suggestions: names),
            Argument<ScenarioName>("scenario", "The scenario"),
            Argument<Double?>("delay", "Seconds that scenario slow takes")
        ) { name, kind, seconds in
            try requireMock()
            let delay = try Self.delay(seconds)
            let found = try find(name)
            for key in found {
                try requireScenarios(key)
                let present = host.mocks.scenario(of: key)?.delay ?? MockScenario(.slow).delay
                host.mocks.choose(MockScenario(kind.kind, delay: delay ?? present), for: key)
            }
            return .content(MockViews.list(found, host.mocks))
        }
    }

    private var calls: Action {
        Action(
            "mock calls", "List the calls of mock services, the latest last", effect: .reads,
            Argument<String?>("service", "Show calls of this service only", suggestions: names),
            Argument("last", "How many to list", default: 20)
        ) { name, last in
            try requireMock()
            guard last > 0 else { throw CommandError.badCount(last) }
            return .content(MockViews.calls(of: try name.map(find) ?? services, host.mocks, last: last))
        }
    }

    private var reset: Action {
        Action(
            "mock reset", "Reset all mock services to what is configured, without calls",
            effect: .changes
        ) {
            try requireMock()
            host.mocks.reset()
            return .content(MockViews.list(services, host.mocks))
        }
    }

    private func requireMock() throws {
        guard host.environment == .mock else {
            throw CommandError.otherEnvironment(host.environment, needed: .mock, what: "Mock services exist")
        }
    }

    /// A mock that was not built with its context's behaviour has no scenarios.
    private func requireScenarios(_ key: MockDirector.Key) throws {
        let isBuilt = graph.nodes.contains {
            $0.layer == .service && $0.name == key.service && $0.module == key.module && $0.isBuilt
        }
        if isBuilt, host.mocks.behavior(of: key) == nil { throw CommandError.noScenarios(key.service) }
    }

    private var graph: DependencyGraph { host.runtime.container.graph }

    private var services: [MockDirector.Key] {
        graph.nodes.filter { $0.layer == .service }
            .map { MockDirector.Key(module: $0.module ?? "", service: $0.name) }.uniqued.sorted()
    }

    private var names: [String] { offersNames ? services.map(\.service).uniqued : [] }

    /// In any case, with or without the module in front: `Entities.EntityService`.
    private func find(_ name: String) throws -> [MockDirector.Key] {
        let lowercased = name.lowercased()
        let found = services.filter {
            [$0.service, $0.module, "\($0.module).\($0.service)"].contains { $0.lowercased() == lowercased }
        }
        guard found.isEmpty else { return found }
        throw CommandError.unknownService(
            name, known: services.flatMap { [$0.service, $0.module] }.uniqued)
    }

    private static func delay(_ seconds: Double?) throws -> Duration? {
        guard let seconds else { return nil }
        guard (0...3_600).contains(seconds) else { throw CommandError.badDelay(seconds) }
        return .milliseconds(Int(seconds * 1_000))
    }
}

enum ScenarioName: String, CaseIterable, ArgumentValue {
    case success, error, edge, slow

    var kind: MockScenario.Kind {
        switch self {
        case .success: .success
        case .error: .error
        case .edge: .edge
        case .slow: .slow
        }
    }
}

enum MockViews {
    @MainActor
    static func list(_ services: [MockDirector.Key], _ mocks: MockDirector) -> Content {
        Content {
            if services.isEmpty { Notice(.information, "No active module has a service.", hint: "modules") }
            Table(services, key: "mocks") {
                Column("service") { $0.service }
                Column("module") { $0.module }
                Column("scenario") { mocks.scenario(of: $0)?.kind.rawValue ?? "as configured" }
                Column("delay") { mocks.scenario(of: $0).flatMap(Self.delay) }
                Column("calls") { mocks.behavior(of: $0)?.callCount ?? 0 }
            }
        }
    }

    @MainActor
    static func calls(of services: [MockDirector.Key], _ mocks: MockDirector, last: Int) -> Content {
        let all = services.flatMap { key in
            (mocks.behavior(of: key)?.calls ?? []).map { (key: key, call: $0) }
        }.sorted { ($0.call.at, $0.key, $0.call.number) < ($1.call.at, $1.key, $1.call.number) }
        let count = services.reduce(0) { $0 + (mocks.behavior(of: $1)?.callCount ?? 0) }
        return Content {
            if all.isEmpty { Notice(.information, "No calls yet.") }
            Table(all.suffix(last), key: "calls") {
                Column("number") { $0.call.number }
                Column("service") { $0.key.service }
                Column("call") { $0.call.name }
                Column("arguments") { text(of: $0.call.arguments) }
                Column("scenario") { $0.call.scenario.rawValue }
            }
            if count > last, !all.isEmpty {
                Text("The last \(min(last, all.count)) of \(count) calls.")
            }
        }
    }

    private static func delay(_ scenario: MockScenario) -> String? {
        guard scenario.kind == .slow else { return nil }
        let parts = scenario.delay.components
        let milliseconds = parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000
        return "\(Double(milliseconds) / 1_000) s"
    }

    private static func text(of arguments: [String: String]) -> String? {
        guard !arguments.isEmpty else { return nil }
        return arguments.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    }
}
