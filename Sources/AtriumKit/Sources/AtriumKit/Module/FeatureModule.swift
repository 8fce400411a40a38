/// A feature module: what its library contributes to the host.
///
/// The build generates the library's entry from `module.json`; the host creates the class named there,
/// lets it register, checks everything, and activates it.
@MainActor
public protocol FeatureModule: AnyObject {
    init()

    /// The steps of the module's tables, in order; none unless given.
    static var migrations: [Migration] { get }

    /// Registers services, repositories, view models and screens.
    func register(in registry: ModuleRegistry) throws

    /// Starts what runs without being asked; everything is registered by now, also of required modules.
    ///
    /// - Throws: What keeps the module from working; it then counts as failed, the others work on.
    func activate(_ context: borrowing ActivationContext) async throws

    /// Stops what ``activate(_:)`` started; the tasks of ``ActivationContext/run(_:_:)`` are cancelled without it.
    ///
    /// Has a few seconds; what takes longer is told as overdue and left to itself.
    func deactivate() async

    /// The version of the form in which ``snapshot(version:)`` hands state over; 1 unless given.
    static var stateVersion: Int { get }

    /// The state for another generation of the module, which takes this one's place; nil where there is none.
    ///
    /// Called in one turn of the main actor with ``restore(_:)`` and the exchange, so that no change is lost.
    ///
    /// - Parameter version: The older of the two generations' ``stateVersion``: the newer one can write it when
    ///   the older one returns, and read it when the older one leaves.
    /// - Returns: The state in that version.
    /// - Throws: What keeps the state from being handed over; the update is then given up.
    func snapshot(version: Int) throws -> ModuleSnapshot?

    /// Takes over the state of the generation before, after ``activate(_:)`` and before anything of this
    /// generation is used.
    ///
    /// - Throws: What is wrong with it; the update is then given up, and the generation before works on.
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
