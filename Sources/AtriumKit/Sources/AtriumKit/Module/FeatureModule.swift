/// A feature module: the contributions of its library to the host.
///
/// The build generates the library's entry point from `module.json`; the host creates the class named there,
/// calls ``register(in:)``, checks everything, and activates it.
@MainActor
public protocol FeatureModule: AnyObject {
    init()

    /// The migrations of the module's database, in order; none by default.
    static var migrations: [Migration] { get }

    /// The proxies of the module's services, which the build writes; none by default.
    static var serviceProxies: [ServiceProxy] { get }

    /// Registers services, repositories, view models and screens.
    func register(in registry: ModuleRegistry) throws

    /// Starts background work, when the registrations of this and all required modules are complete; if it
    /// throws, the module is `failed`, and others continue.
    func activate(_ context: borrowing ActivationContext) async throws

    /// Stops what ``activate(_:)`` started, within a few seconds; tasks of the context are cancelled anyway.
    func deactivate() async

    /// The version of the format that ``snapshot(version:)`` writes; 1 by default.
    static var stateVersion: Int { get }

    /// Returns the state for the next generation, in the older version of the two; nil if there is none.
    ///
    /// For an update, it is called in one turn of the main actor with ``restore(_:)`` and the exchange, so
    /// that no change is lost; if either throws, the update is refused. It is also called while the host
    /// runs, and when the host or the module stops, to give the module its state back when it returns. So it
    /// must change nothing.
    func snapshot(version: Int) throws -> ModuleSnapshot?

    /// Restores the state of the previous generation, after ``activate(_:)`` and before this one is used; if
    /// it throws, nothing may have changed.
    func restore(_ snapshot: ModuleSnapshot) throws
}

extension FeatureModule {
    /// No migrations, by default: the module's database has no tables.
    public static var migrations: [Migration] { [] }
    /// None, by default: calls of the services can't be seen.
    public static var serviceProxies: [ServiceProxy] { [] }
    /// Starts nothing, by default.
    public func activate(_ context: borrowing ActivationContext) async throws {}
    /// Stops nothing, by default.
    public func deactivate() async {}
    /// 1 by default; increase it when the form of the snapshot changes.
    public static var stateVersion: Int { 1 }
    /// Nil by default: the module has no state for its next generation.
    public func snapshot(version: Int) throws -> ModuleSnapshot? { nil }
    /// Restores nothing, by default.
    public func restore(_ snapshot: ModuleSnapshot) throws {}
}

/// State that one generation of a module passes to the next, as JSON: their types are distinct, even if they
/// have the same name.
public struct ModuleSnapshot: Sendable, Hashable {
    /// The version of the format; see ``FeatureModule/stateVersion``.
    public let version: Int
    /// The encoded state, as the host keeps it for the next generation.
    @_spi(Host) public let json: String

    /// Encodes a state in the given version of its format.
    public init(version: Int, _ state: some Encodable) throws {
        self.version = version
        json = try StateCoding.encode(state)
    }

    /// Creates a snapshot from the JSON that an earlier one was kept as.
    @_spi(Host) public init(version: Int, json: String) {
        self.version = version
        self.json = json
    }

    /// Decodes the state as this generation's type for ``version``.
    public func decode<State: Decodable>(_ type: State.Type = State.self) throws -> State {
        try StateCoding.decode(State.self, from: json)
    }
}

/// A check that a part of a module works, run by the command `health`.
public struct HealthCheck: Sendable {
    /// The part that is checked, in a word or two.
    public let name: String
    private let check: @MainActor () async throws -> String

    /// Creates a check that returns the state in a few words, or throws the reason that the part does not
    /// work.
    public init(_ name: String, check: @escaping @MainActor () async throws -> String) {
        self.name = name
        self.check = check
    }

    /// Returns the state in a few words, or throws the reason that the part does not work.
    @_spi(Host) @MainActor public func run() async throws -> String { try await check() }
}

extension ContributionPoint where Element == HealthCheck {
    /// The checks of all modules.
    public static var healthChecks: ContributionPoint<HealthCheck> { ContributionPoint("health checks") }
}
