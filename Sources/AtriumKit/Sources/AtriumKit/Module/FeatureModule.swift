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

    /// Stops what ``activate(_:)`` started.
    func deactivate() async
}

extension FeatureModule {
    public static var migrations: [Migration] { [] }
    public func activate(_ context: borrowing ActivationContext) async throws {}
    public func deactivate() async {}
}
