/// Builds something later, or again and again.
///
/// Stays valid while modules come and go: it fails while nobody registers what it provides, and works when
/// somebody does, first or again. What it provides is not held by who holds the provider, so nothing is
/// rebuilt because of it.
///
/// ```swift
/// registry.repository(ReportRepository.self) { ReportRepository(printers: $0.serviceProvider()) }
/// …
/// let printer = try printers()
/// ```
@MainActor
public struct Provider<Value> {
    private let key: RegistrationKey
    private let request: Request
    /// Whose factory took the provider.
    private let holder: RegistrationKey?
    private let origin: Origin
    private let resolve: @MainActor (Request) throws -> Value
    private let resolveAsynchronously: @MainActor (Request) async throws -> Value

    init<Context: LayerContext & ~Copyable>(
        _ type: Value.Type, named name: String?, _ context: Context.Type, _ core: ContextCore
    ) {
        let asker = core.asker
        let container = asker.container.lasting
        key = RegistrationKey(Value.self, Context.layer, named: name)
        holder = asker.slot?.key
        asker.add(container.find(key) ?? container.place(of: key), .deferred)
        // A request of its own, for nobody's factory: what it builds later is held by who asked then.
        request = Request(container: container, scope: asker.scope)
        origin = Origin(container.ambient.entry, asker)
        resolve = { try $0.container.resolve(type, named: name, context, for: $0) }
        resolveAsynchronously = {
            try await $0.container.resolveAsynchronously(type, named: name, context, for: $0)
        }
    }

    /// Builds the value, or hands out the shared one.
    ///
    /// - Throws: ``ResolutionError``: nobody registers it now, it can't be built, it has to be awaited, or
    ///   the module that holds the provider was itself retired.
    public func callAsFunction() throws -> Value {
        try now(lastingRequest)
    }

    /// Builds the value for somebody who keeps it.
    ///
    /// - Throws: Also ``ResolutionError`` with code `wrongLifetime`, where a shared value took the provider
    ///   and what it provides belongs to a stack entry.
    func kept() throws -> Value { try now(keepingRequest) }

    /// The same, awaited where that has to be.
    func kept() async throws -> Value {
        let request = keepingRequest
        guard request.container.registration(key)?.isAsynchronous == true else { return try now(request) }
        return try await resolveAsynchronously(request)
    }

    private var keepingRequest: Request {
        let container = present
        let keeper = holder.flatMap { container.find($0) }
        return Request(
            container: container, scope: request.scope, parent: origin.asker,
            captor: keeper?.registration?.lifetime == .shared ? keeper : origin.asker?.captor)
    }

    private func now(_ request: Request) throws -> Value {
        if let registration = request.container.registration(key), registration.isAsynchronous,
            request.container.find(key)?.box == nil,
            request.scope.map({ $0.reaches(registration.owner) }) ?? true
        {
            throw ResolutionError.asynchronous(key, hasProvider: true)
        }
        let ambient = request.container.ambient
        let outer = ambient.entry
        ambient.entry = outer ?? origin.entry
        defer { ambient.entry = outer }
        return try resolve(request)
    }

    /// Builds the value, awaiting its factory where that has to be.
    public func callAsFunction() async throws -> Value {
        let request = lastingRequest
        // What need not be awaited may belong to the entry that the provider was taken for.
        guard request.container.registration(key)?.isAsynchronous == true else { return try now(request) }
        return try await resolveAsynchronously(request)
    }

    /// A value that is built when it is first asked for, and kept.
    public var lazy: Lazy<Value> { Lazy(self) }

    /// The shared value while somebody else has it built.
    public var weak: Weak<Value> { Weak(self) }

    /// Asks in the container that the state has passed to in which the provider was taken.
    ///
    /// While the factory still runs that took the provider, on its behalf: it would wait for itself for ever
    /// if it asked for what needs it.
    private var lastingRequest: Request {
        Request(
            container: present, scope: request.scope, parent: origin.asker,
            captor: origin.asker?.captor)
    }

    /// Where is asked now: after the module's generation was retired, in the state that its running work began
    /// in, as long as there is such work.
    private var present: Container { request.scope?.past ?? request.container.lasting }

    /// The shared value that is there now, where the module that took the provider may reach it.
    var sharedBox: ValueBox<Value>? {
        guard let slot = request.container.lasting.find(key), let owner = slot.registration?.owner,
            request.scope.map({ !$0.isRetired && $0.reaches(owner) }) ?? true
        else { return nil }
        return slot.box.map { unsafeDowncast($0, to: ValueBox<Value>.self) }
    }

    /// Notes that whoever took the provider holds what it built from now on.
    func hold() {
        let container = request.container.lasting
        guard let holder, let target = container.find(key) else { return }
        container.find(holder)?.add(SlotEdge(target: target, kind: .direct))
    }
}

/// Remembers where a provider was taken without keeping it.
@MainActor
private final class Origin {
    private(set) weak var entry: EntryScope?
    /// Lives as long as the factory runs, or the module's registration stands.
    private(set) weak var asker: Request?

    init(_ entry: EntryScope?, _ asker: Request) {
        self.entry = entry
        self.asker = asker
    }
}
