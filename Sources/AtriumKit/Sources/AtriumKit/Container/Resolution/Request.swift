/// Who asks the container for something, and which state it sees.
@MainActor
final class Request {
    private(set) var container: Container
    /// The module on whose behalf is asked; nil for the host, which may reach everything.
    let scope: ModuleScope?
    /// The slot whose factory asks; nil for the host and for activation.
    nonisolated let slot: Slot?
    /// Who asked for what asks here.
    let parent: Request?
    /// The nearest asker, itself included, that outlives a stack entry.
    let captor: Slot?
    /// The awaited build that this is part of.
    let flight: AnyFlight?
    /// How many factories wait for what is asked here.
    let depth: Int

    init(
        container: Container, scope: ModuleScope?, slot: Slot? = nil, parent: Request? = nil,
        captor: Slot? = nil, flight: AnyFlight? = nil
    ) {
        self.container = container
        self.scope = scope
        self.slot = slot
        self.parent = parent
        self.captor = captor
        self.flight = flight ?? parent?.flight
        depth = (parent?.depth ?? 0) + 1
    }

    /// How many factories may wait for each other; each takes some of the stack.
    nonisolated static let greatestDepth = 1_000

    /// The request of the factory of `slot`, which this one asked for.
    func forFactory(of slot: Slot, _ registration: Registration, flight: AnyFlight? = nil) -> Request {
        Request(
            container: container, scope: registration.owner, slot: slot, parent: self,
            captor: registration.lifetime == .shared ? slot : captor, flight: flight)
    }

    /// Records whom the factory asked for, in the state that it sees.
    func add(_ target: Slot, _ kind: EdgeKind) {
        guard let slot else { return }
        let isPassed = slot.container !== container && !container.isTransparent
        (isPassed ? container.slot(slot.key) : slot).add(SlotEdge(target: target, kind: kind))
    }

    /// Goes on seeing the same state, which `container` has now.
    func move(to container: Container) {
        self.container = container
    }

    /// The same request in another state of the container, which may move on with it.
    func copy(seeing container: Container) -> Request {
        Request(
            container: container, scope: scope, slot: slot, parent: parent, captor: captor, flight: flight)
    }

    /// What a context of this request consists of: no cell is used at once, so that everything is recorded.
    var core: ContextCore {
        ContextCore(index: .empty, request: .passUnretained(self))
    }

    /// Stands where a cell has no factory.
    static let nobody = Unmanaged<AnyObject>.passRetained(Nobody())

    private final class Nobody: Sendable {}
}

extension ContextCore {
    @MainActor var asker: Request {
        unsafeDowncast(request.takeUnretainedValue(), to: Request.self)
    }

    @MainActor var container: Container { asker.container }

    @MainActor var infrastructure: ModuleScope.Infrastructure {
        let asker = asker
        guard let scope = asker.scope else { preconditionFailure("Only modules have infrastructure.") }
        return asker.container.infrastructure(of: scope)
    }

    /// The name of the module that asks.
    @MainActor var module: String { asker.scope?.name ?? "" }

    /// `error` as it leaves the factory that the cell of this core runs.
    @usableFromInline func passing(_ error: any Error) -> any Error {
        let asker = unsafeDowncast(request.takeUnretainedValue(), to: Request.self)
        guard let slot = asker.slot else { return error }
        return ResolutionError.passing(error, through: slot.key)
    }

    /// The stack entry whose screen is being built.
    @MainActor var entry: EntryScope? { container.ambient.entry }

    @MainActor var navigator: any Navigator {
        guard let entry else { preconditionFailure("View models are built for a screen only.") }
        return entry.navigator
    }

    /// What is registered as `type` in the layer of `Context`, the slow way.
    @MainActor @usableFromInline
    func resolve<Context: LayerContext & ~Copyable, Value>(
        _ type: Value.Type, named name: String?, _ context: Context.Type
    ) throws -> Value {
        let asker = asker
        return try asker.container.resolve(type, named: name, context, for: asker)
    }

    /// The same for a factory that takes arguments.
    @MainActor
    func resolve<Context: LayerContext & ~Copyable, Value, each Argument>(
        _ type: Value.Type, named name: String?, _ context: Context.Type, _ argument: repeat each Argument
    ) throws -> Value {
        let asker = asker
        return try asker.container.resolve(type, named: name, context, for: asker, repeat each argument)
    }

    /// The same for a factory that may have to be awaited.
    @MainActor
    func resolveAsynchronously<Context: LayerContext & ~Copyable, Value>(
        _ type: Value.Type, named name: String?, _ context: Context.Type
    ) async throws -> Value {
        let asker = asker
        return try await asker.container.resolveAsynchronously(type, named: name, context, for: asker)
    }
}
