@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumModules
internal import AtriumNetworking
internal import AtriumText
internal import AtriumViews

extension HostCommands {
    @ActionsBuilder var backups: [Action] {
        Action(
            "backup", "Write the data folder into one file, which 'atrium restore' reads", effect: .changes,
            Argument<OutputFile>("file", "The file; it must not exist yet")
        ) { file in
            guard let backUp = host.backUp else {
                throw ShellError(.notFound, "This host has no data folder to back up.")
            }
            try host.keep(true)
            let (content, message) = BackupViews.made(try await backUp(file.path))
            return .content(content, message)
        }
    }

    @ActionsBuilder var mocks: [Action] {
        Action(
            "mock", "List or reset the mock services, or record the calls of services and play them",
            effect: .changes,
            Argument<CallRecordingStep?>(
                "step", "What to do with a recording of calls; by default, list the mock services"),
            Argument<OutputFile?>("file", "The recording"),
            Argument<String?>("service", "Record this service only", suggestions: recordableNames),
            Argument("stop", "End the recording, or the play", default: false),
            Argument(
                "reset", "Reset them to their configured scenarios, and their calls, first", default: false)
        ) { step, file, service, ends, resets in
            try checkOptions(of: step, file, service, ends: ends, resets: resets)
            switch step {
            case .record: return try recordCalls(to: file, of: service, ends: ends)
            case .play: return try await playCalls(from: file, ends: ends)
            case nil: break
            }
            try requireMock()
            if resets { host.mocks.reset() }
            return .content(MockViews.list(services, host.mocks))
        }
        Action(
            "mock set", "Choose the scenario of a mock service, from its next call on", effect: .changes,
            Argument<String>("service", "The service, as 'mock' lists it", suggestions: serviceNames),
            Argument<MockScenario.Kind>("scenario", "The scenario"),
            Argument<Seconds?>("delay", "Seconds that scenario slow takes")
        ) { name, kind, delay in
            try requireMock()
            if let delay, delay.duration < .zero || delay.duration > .seconds(3_600) {
                throw ShellError(
                    .invalidArgument,
                    "'delay' of 'mock set' must be from 0 to 3600 seconds, not '\(delay.argumentText)'.",
                    hint: "mock set SERVICE slow --delay 2")
            }
            let found = try find(name)
            for key in found {
                try requireScenarios(key)
                let present = host.mocks.scenario(of: key)?.delay ?? MockScenario(.slow).delay
                host.mocks.choose(MockScenario(kind, delay: delay?.duration ?? present), for: key)
            }
            return .content(MockViews.list(found, host.mocks))
        }
        Action(
            "mock calls", "List the calls of mock services, the latest last", effect: .reads,
            Argument<String?>("service", "Show calls of this service only", suggestions: serviceNames),
            Argument("last", "How many to list", default: 20)
        ) { name, last in
            try requireMock()
            guard last > 0 else {
                throw ShellError(
                    .invalidArgument, "'last' of 'mock calls' must be 1 or more, not '\(last)'.",
                    hint: "mock calls --last 20")
            }
            return .content(MockViews.calls(of: try name.map(find) ?? services, host.mocks, last: last))
        }
    }

    private func requireMock() throws { try require(.mock, "Mock services exist") }

    /// Checks that a mock was built with its context's behaviour; only then does it have scenarios.
    private func requireScenarios(_ key: MockDirector.Key) throws {
        let isBuilt = graph.nodes.contains {
            $0.layer == .service && $0.name == key.service && $0.module == key.module && $0.isBuilt
        }
        guard isBuilt, host.mocks.behavior(of: key) == nil else { return }
        throw ShellError(
            .notFound,
            "The mock of \(key.service) has no scenarios: it was not built with 'mock(_:)' of its context.",
            hint: "mock")
    }

    private var graph: DependencyGraph { host.runtime.container.graph }

    private var services: [MockDirector.Key] {
        graph.nodes.filter { $0.layer == .service }
            .map { MockDirector.Key(module: $0.module ?? "", service: $0.name) }.uniqued.sorted()
    }

    private var serviceNames: [String] { offersNames ? services.map(\.service).uniqued : [] }

    /// Finds a service, in any letter case, with or without its module: `Entities.EntityService`.
    private func find(_ name: String) throws -> [MockDirector.Key] {
        let lowercased = name.lowercased()
        let found = services.filter {
            [$0.service, $0.module, "\($0.module).\($0.service)"].contains { $0.lowercased() == lowercased }
        }
        guard found.isEmpty else { return found }
        throw ShellError.unknown(
            .notFound, name, among: services.flatMap { [$0.service, $0.module] }.uniqued,
            else: "'mock' lists the services."
        ) { "There is no service '\($0)'." }
    }

    @ActionsBuilder var api: [Action] {
        Action(
            "api", "Show calls of the server: counts, latencies, the last failures, whose tokens they carry",
            effect: .reads, apiName,
            Argument(
                "ping", "Show what answers at the server's URL instead: HTTP, TLS, certificate",
                default: false)
        ) { name, pings in
            let client = try client(name)
            if pings { return .content(APIViews.ping(try await client.ping())) }
            return .content(
                APIViews.metrics(
                    await client.metrics, url: client.configuration.base.text, await client.tokens,
                    others: name == nil ? namedAPIs : []))
        }
    }

    private var apiName: Argument<String?> {
        Argument("name", "A named API of modules.json; without it, that of the host", suggestions: namedAPIs)
    }

    private var namedAPIs: [String] { host.apis.named().keys.sorted() }

    private func client(_ name: String?) throws -> APIManager {
        try require(.live, "The API is used")
        guard let name else {
            guard let client = host.apis.standard else { throw APIError.noServer }
            return client
        }
        let named = host.apis.named()
        guard let client = named[name] else {
            throw ShellError.unknown(
                .notFound, name, among: namedAPIs,
                else: named.isEmpty
                    ? "'api' shows that of the host." : "In use are: \(namedAPIs.joined(separator: ", "))."
            ) { "No module has used an API '\($0)' since the start." }
        }
        return client
    }
}
