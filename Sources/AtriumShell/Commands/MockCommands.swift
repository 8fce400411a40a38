@_spi(Host) internal import AtriumKit
internal import AtriumRuntime

/// The commands for the mock services: which there are, what each does, what it was asked.
@MainActor
struct MockCommands {
    let host: ShellHost
    /// Whether the arguments come with the names that can be proposed for them.
    var offersNames = false

    var all: [Action] { [mock, set, calls, reset] }

    private var mock: Action {
        Action("mock", "Lists the mock services with what each does", effect: .reads) {
            try requireMock()
            return .content(MockViews.list(services, host.mocks))
        }
    }

    private var set: Action {
        Action(
            "mock set", "Chooses what a mock service does, from its next call on", effect: .changes,
            Argument<String>("service", "The service, as 'mock' lists it", suggestions: names),
            Argument<ScenarioName>("scenario", "What it does"),
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
            "mock calls", "Lists what the mock services were asked, the last call last", effect: .reads,
            Argument<String?>("service", "Only of this service", suggestions: names),
            Argument("last", "How many calls are listed", default: 20)
        ) { name, last in
            try requireMock()
            guard last > 0 else { throw MockCommandError.badCount(last) }
            return .content(MockViews.calls(of: try name.map(find) ?? services, host.mocks, last: last))
        }
    }

    private var reset: Action {
        Action(
            "mock reset", "Makes all mock services do what is configured, and forgets their calls",
            effect: .changes
        ) {
            try requireMock()
            host.mocks.reset()
            return .content(MockViews.list(services, host.mocks))
        }
    }

    // MARK: - Which services

    private func requireMock() throws {
        guard host.environment == .mock else { throw MockCommandError.otherEnvironment(host.environment) }
    }

    /// A mock that does not ask its context for its scenario does always the same.
    private func requireScenarios(_ key: MockDirector.Key) throws {
        let isBuilt = graph.nodes.contains {
            $0.layer == .service && $0.name == key.service && $0.module == key.module && $0.isBuilt
        }
        if isBuilt, host.mocks.behavior(of: key) == nil { throw MockCommandError.noScenarios(key.service) }
    }

    private var graph: DependencyGraph { host.runtime.container.graph }

    private var services: [MockDirector.Key] {
        graph.nodes.filter { $0.layer == .service }
            .map { MockDirector.Key(module: $0.module ?? "", service: $0.name) }.uniqued.sorted()
    }

    private var names: [String] { offersNames ? services.map(\.service).uniqued : [] }

    /// The services of a name, in any case, with or without the module in front: `Entities.EntityService`.
    private func find(_ name: String) throws -> [MockDirector.Key] {
        let wanted = name.lowercased()
        let found = services.filter {
            $0.service.lowercased() == wanted || "\($0.module).\($0.service)".lowercased() == wanted
                || $0.module.lowercased() == wanted
        }
        guard found.isEmpty else { return found }
        throw MockCommandError.unknownService(
            name, known: services.flatMap { [$0.service, $0.module] }.uniqued)
    }

    private static func delay(_ seconds: Double?) throws -> Duration? {
        guard let seconds else { return nil }
        guard (0...3_600).contains(seconds) else { throw MockCommandError.badDelay(seconds) }
        return .milliseconds(Int(seconds * 1_000))
    }
}

/// A scenario as it is typed.
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

/// Why a mock service can't be told what to do.
struct MockCommandError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?

    static func otherEnvironment(_ environment: Environment) -> MockCommandError {
        MockCommandError(
            code: .wrongEnvironment,
            message: "There are mock services in environment mock only; this is \(environment.rawValue).",
            hint: "atrium --env mock")
    }

    static func unknownService(_ name: String, known: [String]) -> MockCommandError {
        let nearest = NearestName.of(name, among: known).map { "Did you mean '\($0)'?" }
        return MockCommandError(
            code: .notFound, message: "There is no service '\(name.prefix(80))'.",
            hint: nearest ?? "'mock' lists the services.")
    }

    static func noScenarios(_ service: String) -> MockCommandError {
        MockCommandError(
            code: .notFound,
            message:
                "The mock of \(service) does always the same: it was not built with 'mock(_:)' of its context.",
            hint: "mock")
    }

    static func badDelay(_ seconds: Double) -> MockCommandError {
        MockCommandError(
            code: .invalidArgument,
            message: "'delay' of 'mock set' must be from 0 to 3600 seconds, not '\(seconds.argumentText)'.",
            hint: "mock set SERVICE slow --delay 2")
    }

    static func badCount(_ count: Int) -> MockCommandError {
        MockCommandError(
            code: .invalidArgument, message: "'last' of 'mock calls' must be 1 or more, not '\(count)'.",
            hint: "mock calls --last 20")
    }
}

extension ErrorCode {
    /// The command is for another environment.
    static let wrongEnvironment: ErrorCode = "wrongEnvironment"
}
