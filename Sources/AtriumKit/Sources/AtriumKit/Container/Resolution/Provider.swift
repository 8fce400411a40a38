/// A function that builds a value later, or repeatedly.
///
/// Stays valid while modules come and go: it fails while no module registers its value, and works again when
/// one does. The holder of a provider does not hold its value, so it is not rebuilt with it.
///
/// ```swift
/// registry.viewModel(ReportViewModel.self) { ReportViewModel(printers: $0.repositoryProvider()) }
/// …
/// let printer = try printers()
/// ```
@MainActor
public struct Provider<Value> {
    private let request: Request
    private weak var entry: EntryScope?
    /// The request that it was taken in; lives while the factory runs, or the module's registration exists.
    private weak var requester: Request?
    private let resolve: @MainActor (Request) throws -> Value

    init<Context: LayerContext & ~Copyable>(
        _ type: Value.Type, named name: String?, _ context: Context.Type, _ core: ContextCore
    ) {
        let requester = core.requester
        let container = requester.container.lasting
        let key = RegistrationKey(Value.self, Context.layer, named: name)
        requester.add(container.find(key) ?? container.visibleSlot(key), .deferred)
        request = Request(container: container, scope: requester.scope)
        entry = container.building.entry
        self.requester = requester
        resolve = { try $0.container.resolve(type, named: name, context, for: $0) }
    }

    /// Builds the value, or returns the shared one; throws ``ResolutionError``.
    ///
    /// While the factory that took the provider runs, resolves on its behalf, so that a cycle is found. After
    /// the module's generation was retired, resolves in the state in which its running work began, while
    /// there is such work.
    public func callAsFunction() throws -> Value {
        let container = request.scope?.past ?? request.container.lasting
        let building = container.building
        let outer = building.entry
        building.entry = outer ?? entry
        defer { building.entry = outer }
        return try resolve(
            Request(
                container: container, scope: request.scope, parent: requester, captor: requester?.captor))
    }
}
