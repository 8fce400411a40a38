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

    /// Starts what runs by itself; the registrations of this and all required modules are complete.
    ///
    /// - Throws: What keeps the module from working; its state is then `failed`, and other modules go on.
    func activate(_ context: borrowing ActivationContext) async throws

    /// Stops what ``activate(_:)`` started, except tasks of ``ActivationContext/run(_:_:)``, which are cancelled
    /// anyway.
    ///
    /// Has a few seconds; the host reports longer ones as overdue and goes on.
    func deactivate() async

    /// The version of the format that ``snapshot(version:)`` writes; 1 by default.
    static var stateVersion: Int { get }

    /// Returns the state for the generation that replaces this one; nil if there is none.
    ///
    /// Called in one turn of the main actor with ``restore(_:)`` and the exchange, so that no change is lost.
    ///
    /// - Parameter version: The older of the two generations' ``stateVersion``, so that both can read and write it.
    /// - Returns: The state in that version.
    /// - Throws: What keeps the state from being handed over; the update is then refused.
    func snapshot(version: Int) throws -> ModuleSnapshot?

    /// Restores the state of the previous generation, after ``activate(_:)`` and before this one is used.
    ///
    /// - Throws: What is wrong with it; the update is then refused, and the previous generation goes on.
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

/// State that one generation of a module hands to the next: a value as JSON, and the version of its format.
///
/// The two generations have types of their own, even if these have the same name, so only data passes between
/// them.
public struct ModuleSnapshot: Sendable, Hashable {
    /// The version of the format; see ``FeatureModule/stateVersion``.
    public let version: Int
    /// The value as JSON.
    @_spi(Host) public let json: String

    /// - Parameters:
    ///   - version: The version of its format.
    ///   - state: The value.
    /// - Throws: `EncodingError` if it can't be expressed as JSON.
    public init(version: Int, _ state: some Encodable) throws {
        self.version = version
        json = try StateCoding.encode(state)
    }

    /// Decodes the value as the type that this generation has for ``version``.
    ///
    /// - Throws: `DecodingError` if it has another format.
    public func decode<State: Decodable>(_ type: State.Type = State.self) throws -> State {
        try StateCoding.decode(State.self, from: json)
    }
}

/// A check that a part of a module works, run by command `health`.
public struct HealthCheck: Sendable {
    /// What is checked, in a word or two.
    public let name: String
    private let check: @MainActor () async throws -> String

    /// - Parameters:
    ///   - name: What is checked, in a word or two.
    ///   - check: Returns the state in a few words; throws what keeps the part from working.
    public init(_ name: String, check: @escaping @MainActor () async throws -> String) {
        self.name = name
        self.check = check
    }

    @_spi(Host) @MainActor public func run() async throws -> String {
        try await check()
    }
}

extension ContributionPoint where Element == HealthCheck {
    /// The checks of all modules.
    public static var healthChecks: ContributionPoint<HealthCheck> { ContributionPoint("health checks") }
}
