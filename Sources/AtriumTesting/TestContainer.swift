@_spi(Host) public import AtriumKit
internal import AtriumNavigation
internal import Testing

/// The container of one or several modules for a test: environment mock, with its own clock, log, analytics,
/// session and navigator.
///
/// ```swift
/// let container = try TestContainer(EntitiesModule.self)
/// try container.override((any EntityService).self) { StubEntityService(count: 3) }
/// let list = try container.viewModel(EntityListViewModel.self, EntityQuery())
/// ```
///
/// In another environment, a service that was not overridden fails the test, so that no test reaches a
/// network or a disk by accident. So does the database, unless one is given.
@MainActor
public final class TestContainer {
    /// The clock of all modules, which stands still until the test advances it.
    public let clock: FixedClock
    /// The analytics of all modules, with the events that they have tracked.
    public let analytics: RecordingAnalytics
    /// The log of all modules, with the messages that they have logged.
    public let log: RecordingLog
    /// The session of all modules; its writer signs users in and out.
    public let session: TestSession
    /// The navigator of every view model that the test builds, with the navigations that they requested.
    public let navigator = RecordingNavigator()
    private let mocks: MockDirector
    /// The container with the registrations; nil if it belongs to a ``TestHost``.
    private let root: Container?
    private let container: Container
    private let screens: ScreenTable
    private var entries: [EntryScope] = []

    /// Registers modules as the host does, without activating them; each may reach all others.
    ///
    /// Without a database, using it fails the test; without an API client, every request is an error. A mock
    /// in scenario `slow` waits by `sleep`, which returns at once by default.
    public init(
        _ modules: any FeatureModule.Type..., environment: Environment = .mock,
        configuration: [String: JSONValue] = [:], database: (any Database)? = nil,
        api: (any APIClient)? = nil, sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in },
        session: TestSession = TestSession(), clock: FixedClock = FixedClock()
    ) throws {
        self.clock = clock
        self.session = session
        (analytics, log) = (RecordingAnalytics(), RecordingLog())
        mocks = MockDirector(clock: clock, sleep: sleep)
        screens = ScreenTable()
        let root = Container(environment: environment, session: session.manager)
        self.root = root
        container = Container(parent: root)
        container.refuseUnmocked = { ServiceError.unmocked($0, $1).recorded() }
        let names = modules.map { Self.name(of: $0) }
        let infrastructure = ModuleScope.Infrastructure(
            database: database ?? UnexpectedDatabase(), clock: clock, logger: log.logger,
            analytics: analytics, configuration: Configuration(configuration),
            api: api ?? NoAPIClient(), mocks: mocks)
        for (module, name) in zip(modules, names) {
            let registry = ModuleRegistry(
                scope: ModuleScope(name: name, requires: Set(names), infrastructure: infrastructure))
            try module.init().register(in: registry)
            registry.present = Set(names)
            if let finding = registry.findings.first { throw finding }
            try root.add(registry)
            try screens.add(registry.screens)
        }
    }

    /// Creates a container with the registrations of a host.
    init(_ site: TestSite, _ doubles: TestDoubles) {
        (clock, session) = (doubles.clock, doubles.session)
        (analytics, log) = (doubles.analytics, doubles.log)
        (root, container, screens, mocks) = (nil, site.container, site.screens, site.mocks)
    }

    isolated deinit {
        guard let root else { return }
        container.close()
        root.close()
    }

    private static func name(of module: any FeatureModule.Type) -> String {
        let name = "\(module)"
        return name.hasSuffix("Module") ? String(name.dropLast(6)) : name
    }

    /// Overrides a service, in this container only.
    public func override<Service>(
        _ type: Service.Type, named name: String? = nil, with make: @escaping @MainActor () throws -> Service
    ) throws {
        try container.override(type, named: name, with: make)
    }

    /// The behavior of a mock service, once it is built: `container.mock("EntityService")`.
    public func mock(_ service: String) -> MockBehavior? {
        mocks.all.first { $0.key.service == service }?.behavior
    }

    // MARK: - Registrations

    /// The contributions of modules to a point, in order, such as `.healthChecks`.
    public func contributions<Element>(
        to point: ContributionPoint<Element>
    ) throws -> [Contribution<Element>] {
        try container.contributionResults(to: point).map { try $0.element.get() }
    }

    /// The service registered as `type`.
    public func service<Service>(
        _ type: Service.Type = Service.self, named name: String? = nil
    ) throws -> Service {
        try container.value(type, .service, named: name)
    }

    /// The repository registered as `type`.
    public func repository<Repository>(
        _ type: Repository.Type = Repository.self, named name: String? = nil
    ) throws -> Repository {
        try container.value(type, .repository, named: name)
    }

    /// The use case registered as `type`.
    public func useCase<UseCase>(
        _ type: UseCase.Type = UseCase.self, named name: String? = nil
    ) throws -> UseCase {
        try container.value(type, .useCase, named: name)
    }

    /// The aggregate model registered as `type`.
    public func aggregateModel<Model>(
        _ type: Model.Type = Model.self, named name: String? = nil
    ) throws -> Model {
        try container.value(type, .aggregateModel, named: name)
    }

    /// Builds a view model, as for a separate stack entry.
    public func viewModel<Model: ViewModel>(_ type: Model.Type = Model.self) throws -> Model {
        try keeping { try container.value(type, .viewModel) }
    }

    /// Builds a view model from arguments, as for a separate stack entry.
    public func viewModel<Model: ViewModel, First, each Argument>(
        _ type: Model.Type = Model.self, _ first: First, _ argument: repeat each Argument
    ) throws -> Model {
        try keeping { try container.value(type, .viewModel, from: first, repeat each argument) }
    }

    /// Builds the view at a link, chosen as the host chooses it, without loading it.
    public func view(at link: String) throws -> any View {
        let link = try Link(link)
        guard let found = screens.screen(for: link), let destination = try found.destination(link) else {
            throw ServiceError(
                "unknownLink", "None of the test's modules has a screen for '\(link)'.",
                hint: "Add the module that has one to the TestContainer.")
        }
        let built = try found.build(destination, in: container, navigator: navigator)
        entries.append(built.entry)
        return built.view
    }

    private func keeping<Value>(_ body: () throws -> Value) rethrows -> Value {
        let (value, entry) = try container.inEntry(of: navigator, body)
        entries.append(entry)
        return value
    }
}

extension ServiceError {
    fileprivate static func unmocked(_ service: RegistrationKey, _ environment: Environment) -> ServiceError {
        ServiceError(
            "notOverridden",
            "This test would use the \(environment.rawValue) implementation of \(service.name).",
            hint: "Override it: try container.override((any \(service.code)).self) { Stub\(service.name)() }")
    }

    fileprivate static let unexpectedDatabase = ServiceError(
        "notOverridden", "This test would use a database.",
        hint: "Override the service that does, or give the test one: TestContainer(…, database: database)")

    /// Fails the test even if the code under test catches the error.
    fileprivate func recorded() -> ServiceError {
        Issue.record(self, Comment(rawValue: "\(message) \(hint ?? "")"))
        return self
    }
}

/// A database that fails the test when it is used.
struct UnexpectedDatabase: Database {
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw ServiceError.unexpectedDatabase.recorded()
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw ServiceError.unexpectedDatabase.recorded()
    }
}
