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
    private let entry: WeakEntry
    private let resolve: @MainActor (Request) throws -> Value
    private let resolveAsynchronously: @MainActor (Request) async throws -> Value

    init<Context: LayerContext & ~Copyable>(
        _ type: Value.Type, named name: String?, _ context: Context.Type, _ core: ContextCore
    ) {
        let asker = core.asker
        let container = asker.container.lasting
        key = RegistrationKey(type, Layer(tag: Context.tag), named: name)
        holder = asker.slot?.key
        asker.slot?.add(SlotEdge(target: container.find(key) ?? container.slot(key), kind: .deferred))
        // A request of its own, for nobody's factory: what it builds later is held by who asked then.
        request = Request(container: container, scope: asker.scope)
        entry = WeakEntry(container.ambient.entry)
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
        let request = lastingRequest
        let ambient = request.container.ambient
        let outer = ambient.entry
        ambient.entry = outer ?? entry.scope
        defer { ambient.entry = outer }
        return try resolve(request)
    }

    /// Builds the value, awaiting its factory where that has to be.
    public func callAsFunction() async throws -> Value {
        try await resolveAsynchronously(lastingRequest)
    }

    /// A value that is built when it is first asked for, and kept.
    public var lazy: Lazy<Value> { Lazy(self) }

    /// The shared value while somebody else has it built.
    public var weak: Weak<Value> { Weak(self) }

    /// Asks in the container that the state has passed to in which the provider was taken.
    private var lastingRequest: Request { request.seeing(request.container.lasting) }

    /// The shared value that is there now.
    var sharedBox: ValueBox<Value>? {
        request.container.lasting.find(key)?.box.map { unsafeDowncast($0, to: ValueBox<Value>.self) }
    }

    /// Notes that whoever took the provider holds what it built from now on.
    func hold() {
        let container = request.container.lasting
        guard let holder, let target = container.find(key) else { return }
        container.find(holder)?.add(SlotEdge(target: target, kind: .direct))
    }
}

/// Remembers the entry that a provider was made for without keeping it.
@MainActor
private final class WeakEntry {
    private(set) weak var scope: EntryScope?

    init(_ scope: EntryScope?) {
        self.scope = scope
    }
}
