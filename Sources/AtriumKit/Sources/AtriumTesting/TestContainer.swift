@_spi(Host) public import AtriumKit
internal import Testing

/// The container of one or several modules for a test: environment mock, with a clock, a log, analytics, a
/// session and a navigator of its own.
///
/// ```swift
/// let container = try TestContainer(EntitiesModule.self)
/// try container.override((any EntityService).self) { StubEntityService(count: 3) }
/// let list = try container.viewModel(EntityListViewModel.self, EntityQuery())
/// ```
///
/// In another environment, a service that was not overridden fails the test: no test should reach a network
/// or a disk without saying so. So does the database, unless one is given.
@MainActor
public final class TestContainer {
    public let clock: FixedClock
    public let analytics = RecordingAnalytics()
    public let log = RecordingLog()
    public let session: TestSession
    public let navigator = RecordingNavigator()
    private let mocks: MockDirector
    private let root: Container
    private let container: Container
    private var screens: [ScreenRegistration] = []
    private var entries: [EntryScope] = []

    /// Registers modules as the host does; they are not activated, and may all reach each other.
    ///
    /// - Parameters:
    ///   - modules: The classes of the modules.
    ///   - environment: Which implementation of every service is built.
    ///   - configuration: What `modules.json` would configure, for all of them.
    ///   - database: What services get; without one, using it fails the test.
    ///   - api: What services of environment live get; without one, every request is an error.
    ///   - sleep: How a mock of scenario `slow` waits; at once unless given.
    ///   - session: The session; a guest's unless given.
    ///   - clock: The time; stands still unless the test moves it.
    /// - Throws: What is wrong with the registrations.
    public init(
        _ modules: any FeatureModule.Type..., environment: Environment = .mock,
        configuration: [String: JSONValue] = [:], database: (any Database)? = nil,
        api: (any APIClient)? = nil, sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in },
        session: TestSession = TestSession(), clock: FixedClock = FixedClock()
    ) throws {
        self.clock = clock
        self.session = session
        mocks = MockDirector(clock: clock, sleep: sleep)
        root = Container(environment: environment, session: session.manager)
        container = Container(overriding: root)
        container.refuseUnmocked = { TestContainerFailure.unmocked($0, $1).recorded() }
        let names = modules.map { Self.name(of: $0) }
        let infrastructure = ModuleScope.Infrastructure(
            database: database ?? UnexpectedDatabase(), clock: clock, logger: log.logger,
            analytics: analytics, configuration: Configuration(configuration),
            api: api ?? NoAPIClient(), mocks: mocks)
        for (module, name) in zip(modules, names) {
            let registry = ModuleRegistry(
                scope: ModuleScope(name: name, requires: Set(names), infrastructure: infrastructure))
            try module.init().register(in: registry)
            if let finding = registry.findings.first { throw finding }
            try root.add(registry)
            screens += registry.screens
        }
    }

    isolated deinit {
        container.close()
        root.close()
    }

    private static func name(of module: any FeatureModule.Type) -> String {
        let name = "\(module)"
        return name.hasSuffix("Module") ? String(name.dropLast(6)) : name
    }

    /// Replaces a service, in this container only.
    ///
    /// - Throws: ``ResolutionError`` where no module registers the service.
    public func override<Service>(
        _ type: Service.Type, named name: String? = nil, with make: @escaping @MainActor () throws -> Service
    ) throws {
        try container.override(type, named: name, with: make)
    }

    /// What the mock called `service` does, once it is built: `container.mock("EntityService")`.
    public func mock(_ service: String) -> MockBehavior? {
        mocks.all.first { $0.key.service == service }?.behavior
    }

    // MARK: - What was registered

    /// The service registered as `type`.
    public func service<Service>(
        _ type: Service.Type = Service.self, named name: String? = nil
    ) throws -> Service {
        try container.value(type, .service, named: name)
    }

    /// The repository registered as `type`.
    public func repository<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) async throws -> Repository {
        try await container.awaitedValue(type, .repository, named: name)
    }

    /// The use case registered as `type`.
    public func useCase<UseCase>(
        _ type: UseCase.Type = UseCase.self, named name: String? = nil
    ) async throws -> UseCase {
        try await container.awaitedValue(type, .useCase, named: name)
    }

    /// The aggregate model registered as `type`.
    public func aggregateModel<Model>(
        _ type: Model.Type = Model.self, named name: String? = nil
    ) async throws -> Model {
        try await container.awaitedValue(type, .aggregateModel, named: name)
    }

    /// A new view model, as on a stack entry of its own.
    public func viewModel<Model: ViewModel>(_ type: Model.Type = Model.self) throws -> Model {
        try keeping { try container.value(type, .viewModel) }
    }

    /// A new view model of arguments, as on a stack entry of its own.
    public func viewModel<Model: ViewModel, First, each Argument>(
        _ type: Model.Type = Model.self, _ first: First, _ argument: repeat each Argument
    ) throws -> Model {
        try keeping { try container.value(type, .viewModel, from: first, repeat each argument) }
    }

    /// The view at a link, built and not loaded.
    ///
    /// - Throws: ``LinkError`` or ``ResolutionError``; a link that no screen has is the test's failure.
    public func view(at link: String) throws -> any View {
        let link = try Link(link)
        // As in the host, `items/new` comes before `items/:id`.
        let found = screens.filter { $0.pattern.matches(link) }.min { Self.rank($0) < Self.rank($1) }
        guard let found, let destination = try found.destination(link) else {
            throw TestContainerFailure.unknownLink(link.description)
        }
        let built = try found.build(destination, in: container, navigator: navigator)
        entries.append(built.entry)
        return built.view
    }

    /// How many segments of a screen's pattern take any text.
    private static func rank(_ screen: ScreenRegistration) -> Int {
        screen.pattern.segments.count { if case .literal = $0 { false } else { true } }
    }

    private func keeping<Value>(_ body: () throws -> Value) rethrows -> Value {
        let (value, entry) = try container.inEntry(of: navigator, body)
        entries.append(entry)
        return value
    }
}

/// Why a test can't go on.
struct TestContainerFailure: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?

    static func unmocked(_ service: String, _ environment: Environment) -> TestContainerFailure {
        TestContainerFailure(
            code: "notOverridden",
            message: "This test would use the \(environment.rawValue) implementation of \(service).",
            hint: "Override it: try container.override((any \(service)).self) { Stub\(service)() }")
    }

    static let unexpectedDatabase = TestContainerFailure(
        code: "notOverridden", message: "This test would use a database.",
        hint: "Override the service that does, or give the test one: TestContainer(…, database: database)")

    static func unknownLink(_ link: String) -> TestContainerFailure {
        TestContainerFailure(
            code: "unknownLink", message: "None of the test's modules has a screen for '\(link)'.",
            hint: "Give TestContainer the module that has.")
    }

    /// Fails the test also where the code under test catches what is thrown.
    func recorded() -> TestContainerFailure {
        Issue.record(self, Comment(rawValue: "\(message) \(hint ?? "")"))
        return self
    }
}

/// A database that nothing may reach.
private struct UnexpectedDatabase: Database {
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw TestContainerFailure.unexpectedDatabase.recorded()
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw TestContainerFailure.unexpectedDatabase.recorded()
    }
}
