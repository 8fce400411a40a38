/// A feature module: what its library contributes to the host.
///
/// The build generates the library's entry point from `module.json`; the host creates the class named there, calls
/// ``register(in:)``, checks everything, and activates it.
@MainActor
public protocol FeatureModule: AnyObject {
    init()

    /// The migrations of the module's database, in order; none by default.
    static var migrations: [Migration] { get }

    /// Registers services, repositories, view models and screens.
    func register(in registry: ModuleRegistry) throws

    /// Starts what runs by itself, when the registrations of this and all required modules are complete; if
    /// it throws, the module is `failed`, and others go on.
    func activate(_ context: borrowing ActivationContext) async throws

    /// Stops what ``activate(_:)`` started, in a few seconds; tasks of the context are cancelled anyway.
    func deactivate() async

    /// The version of the format that ``snapshot(version:)`` writes; 1 by default.
    static var stateVersion: Int { get }

    /// Returns the state for the next generation, in the older version of the two; nil if there is none.
    ///
    /// For an update, called in one turn of the main actor with ``restore(_:)`` and the exchange, so that no change
    /// is lost; if either throws, the update is refused. Called too while the host runs and when it or the module
    /// stops: the module gets its state back when it returns. So it changes nothing.
    func snapshot(version: Int) throws -> ModuleSnapshot?

    /// Restores the state of the previous generation, after ``activate(_:)`` and before this one is used; if it
    /// throws, nothing may have changed.
    func restore(_ snapshot: ModuleSnapshot) throws
}

extension FeatureModule {
    public static var migrations: [Migration] { [] }
    public func activate(_ context: borrowing ActivationContext) async throws {}
    public func deactivate() async {}
    public static var stateVersion: Int { 1 }
    public func snapshot(version: Int) throws -> ModuleSnapshot? { nil }
    public func restore(_ snapshot: ModuleSnapshot) throws {}
}

/// State that one generation of a module hands to the next, as JSON: the two have types of their own, even if
/// these have the same name.
public struct ModuleSnapshot: Sendable, Hashable {
    /// The version of the format; see ``FeatureModule/stateVersion``.
    public let version: Int
    @_spi(Host) public let json: String

    /// A state in the given version of its format.
    public init(version: Int, _ state: some Encodable) throws {
        self.version = version
        json = try StateCoding.encode(state)
    }

    /// The state that an earlier one was kept as.
    @_spi(Host) public init(version: Int, json: String) {
        self.version = version
        self.json = json
    }

    /// Decodes the value as the type that this generation has for ``version``.
    public func decode<State: Decodable>(_ type: State.Type = State.self) throws -> State {
        try StateCoding.decode(State.self, from: json)
    }
}

/// A check that a part of a module works, run by command `health`.
public struct HealthCheck: Sendable {
    /// What is checked, in a word or two.
    public let name: String
    private let check: @MainActor () async throws -> String

    /// A check that returns the state in a few words, or throws what keeps the part from working.
    public init(_ name: String, check: @escaping @MainActor () async throws -> String) {
        self.name = name
        self.check = check
    }

    @_spi(Host) @MainActor public func run() async throws -> String { try await check() }
}

extension ContributionPoint where Element == HealthCheck {
    /// The checks of all modules.
    public static var healthChecks: ContributionPoint<HealthCheck> { ContributionPoint("health checks") }
}
