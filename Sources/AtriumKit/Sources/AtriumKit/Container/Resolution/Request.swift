/// A request to resolve a value: the requesting module or host, and the container.
@MainActor
final class Request {
    let container: Container
    /// The requesting module; nil for the host, which may reach everything.
    let scope: ModuleScope?
    nonisolated let slot: Slot?
    /// The nearest slot, this one included, whose value outlives a stack entry.
    let captor: Slot?
    let depth: Int

    init(
        container: Container, scope: ModuleScope?, slot: Slot? = nil, parent: Request? = nil,
        captor: Slot? = nil
    ) {
        self.container = container
        self.scope = scope
        self.slot = slot
        self.captor = captor
        depth = (parent?.depth ?? 0) + 1
    }

    /// The most factories that may wait for each other; each takes some of the stack.
    nonisolated static let greatestDepth = 1_000

    func forFactory(of slot: Slot, _ registration: Registration) -> Request {
        Request(
            container: container, scope: registration.owner, slot: slot, parent: self,
            captor: registration.lifetime == .shared ? slot : captor)
    }

    /// The session, or one without a user if the module may not know who is signed in.
    var session: SessionManager { scope?.withholds(.session) == true ? .isolated() : container.session }

    /// True if the value being built is there only while some module is: it may reach more than the others.
    var isBound: Bool { slot?.registration?.needs.isEmpty == false }

    /// True if the value being built is there only while a module is.
    func isBound(to module: ModuleScope) -> Bool {
        slot?.registration?.needs.contains(module.name) == true
    }

    func add(_ target: Slot, _ kind: EdgeKind) { slot?.add(SlotEdge(target: target, kind: kind)) }

    /// The core of this request's context: it uses no cell directly, so that everything is recorded.
    var core: ContextCore {
        ContextCore(index: .empty, request: .passUnretained(self))
    }

    static let nobody = Unmanaged<AnyObject>.passRetained(Nobody())

    private final class Nobody: Sendable {}
}

extension ContextCore {
    @MainActor var requester: Request {
        unsafeDowncast(request.takeUnretainedValue(), to: Request.self)
    }

    @MainActor var container: Container { requester.container }

    @MainActor var session: SessionManager { requester.session }

    @MainActor var infrastructure: ModuleScope.Infrastructure {
        let requester = requester
        guard let scope = requester.scope else { preconditionFailure("Only modules have infrastructure.") }
        return requester.container.infrastructure(of: scope)
    }

    @MainActor var module: String { requester.scope?.name ?? "" }

    @usableFromInline func passing(_ error: any Error) -> any Error {
        let requester = unsafeDowncast(request.takeUnretainedValue(), to: Request.self)
        guard let slot = requester.slot else { return error }
        return ResolutionError.passing(error, through: slot.key)
    }

    @MainActor var entry: EntryScope? { container.building.entry }

    @MainActor var navigator: any Navigator {
        guard let entry else { preconditionFailure("View models are built for a screen only.") }
        return entry.navigator
    }

    @MainActor @usableFromInline
    func resolveInContainer<Context: LayerContext & ~Copyable, Value>(
        _ type: Value.Type, named name: String?, _ context: Context.Type
    ) throws -> Value {
        let requester = requester
        return try requester.container.resolve(type, named: name, context, for: requester)
    }

    @MainActor
    func resolveIfPresent<Context: LayerContext & ~Copyable, Value>(
        _ type: Value.Type, named name: String?, _ context: Context.Type
    ) throws -> Value? {
        let requester = requester
        return try requester.container.resolveIfPresent(type, named: name, context, for: requester)
    }

    @MainActor
    func resolve<Context: LayerContext & ~Copyable, Value, each Argument>(
        _ type: Value.Type, named name: String?, _ context: Context.Type, _ argument: repeat each Argument
    ) throws -> Value {
        let requester = requester
        return try requester.container.resolve(
            type, named: name, context, for: requester, repeat each argument)
    }
}
