/// One key of one container: its current registration, and what was built from it.
///
/// Belongs to the key, not to the registration, and is never freed while its container lives: registering,
/// replacing and removing each exchange the registration, so a holder of the slot sees the current one.
@MainActor
final class Slot {
    nonisolated let key: RegistrationKey
    unowned let container: Container
    /// The part that inlined code reads; unsafe for the deinitializer only.
    nonisolated(unsafe) let cell: UnsafeMutablePointer<Cell>

    private(set) var registration: Registration?
    /// True if the slot hides its parent container's, even if nothing is registered in it.
    var isOverride = false
    private(set) var box: AnyObject?
    /// The box of what the factory built, if the value in ``box`` is its proxy.
    private(set) var implementation: AnyObject?
    private(set) var edges: [SlotEdge] = []
    /// The same edges, for lookup; empty while they are few.
    private var knownEdges: Set<SlotEdge> = []
    private static let fewEdges = 16
    /// The slots that hold what this one built; the reverse of ``edges``, without those that hold nothing.
    private(set) var dependents: [Slot] = []
    /// The number of runs of the factory other than through the inlined path.
    private(set) var builds = 0
    /// Counts ``reset()``, so that a build notices that a change has overtaken it.
    private(set) var resets = 0
    private(set) var hasSucceeded = false
    /// True if the edges of a screen are known.
    var isRecorded = false
    /// The name of the module that registered here last, if nothing is registered now; the slot outlives the
    /// generation.
    private(set) var formerOwner: String?

    /// The request of the factory when inlined code runs it; its contexts hold it unretained.
    private var inlinedRequest: Request?
    /// True if ``value(of:for:_:)`` runs the factory, as opposed to inlined code.
    private var isBuilding = false
    /// The most repetitions of a build that changes overtake.
    static let attemptLimit = 10

    init(
        _ key: RegistrationKey, in container: Container, _ registration: Registration? = nil,
        formerOwner: String? = nil
    ) {
        self.key = key
        self.container = container
        self.registration = registration
        self.formerOwner = formerOwner
        cell = .allocate(capacity: 1)
        cell.initialize(
            to: Cell(state: .closed, content: nil, core: ContextCore(index: .empty, request: Request.nobody)))
    }

    deinit {
        cell.deallocate()
    }

    // MARK: - Exchanges

    func replace(_ registration: Registration?) {
        if cell.pointee.state == .building {
            fatalError("A running factory can't change its own registration.")
        }
        reset()
        if registration == nil { formerOwner = self.registration?.owner.name ?? formerOwner }
        self.registration = registration
    }

    func reset() {
        resets &+= 1
        close()
        box = nil
        implementation = nil
        isRecorded = false
        clearEdges()
    }

    /// Adds the objects that an exchange releases, so that they live until the exchange is complete.
    func keepHeld(in released: inout [AnyObject]) {
        if let box { released.append(box) }
        if let registration { released.append(registration) }
    }

    func dissolve() {
        close()
        box = nil
        implementation = nil
        edges = []
        knownEdges = []
        dependents = []
    }

    /// Adopts the values that `other` built, for the same registration.
    func adopt(_ other: Slot) {
        close()
        box = other.box
        implementation = other.implementation
        builds += other.builds
        // Earlier builds of a transient value are still held, with what they hold.
        if registration?.lifetime != .transient { clearEdges() }
        other.edges.forEach(add)
    }

    func preserve(_ other: Slot) {
        registration = other.registration
        formerOwner = other.formerOwner
        box = other.box
        implementation = other.implementation
        other.edges.forEach(add)
    }

    // MARK: - Edges

    /// Records an edge to the slot of the same key in this container, which lives as long as this one.
    func add(_ edge: SlotEdge) {
        let edge = SlotEdge(target: container.slot(edge.target.key), kind: edge.kind)
        guard isNew(edge) else { return }
        edges.append(edge)
        container.edgesChanged()
        if edge.kind.holds { edge.target.dependents.append(self) }
    }

    private func isNew(_ edge: SlotEdge) -> Bool {
        guard edges.count >= Self.fewEdges else { return !edges.contains(edge) }
        if knownEdges.isEmpty { knownEdges = Set(edges) }
        return knownEdges.insert(edge).inserted
    }

    private func clearEdges() {
        guard !edges.isEmpty else { return }
        for edge in edges where edge.kind.holds {
            edge.target.dependents.removeAll { $0 === self }
        }
        edges = []
        knownEdges = []
        container.edgesChanged()
    }

    /// Forgets the edges of an earlier value, before the next is built.
    func beginRecording(_ registration: Registration) {
        builds += 1
        if registration.lifetime != .transient { clearEdges() }
    }

    // MARK: - Building

    func value<Value>(
        of registration: Registration, for request: Request, _ make: (ContextCore) throws -> Value
    ) throws -> Value {
        if let box {
            openIfAllowed(request)
            return unsafeDowncast(box, to: ValueBox<Value>.self).value
        }
        let entry = registration.lifetime == .entry ? try self.entry(for: request) : nil
        if let box = entry?.box(of: self) { return unsafeDowncast(box, to: ValueBox<Value>.self).value }
        let (built, isCurrent) = try buildUntilCurrent(registration, for: request, make)
        let proxy = proxy(of: built, by: registration)
        let value = proxy ?? built
        hasSucceeded = true
        guard isCurrent else { return value }
        switch registration.lifetime {
        case .shared:
            box = ValueBox(value)
            implementation = proxy == nil ? nil : ValueBox(built)
            container.promote(self)
        case .entry:
            let box = ValueBox(value)
            entry?.keep(box, of: self, tracking: proxy == nil ? box : ValueBox(built))
        case .transient: break
        }
        openIfAllowed(request)
        return value
    }

    /// The proxy of a service, through which its users call it; nil if it has none.
    private func proxy<Value>(of value: Value, by registration: Registration) -> Value? {
        guard let proxy = registration.proxy, proxy.obstacle == nil,
            let calls = container.infrastructure(of: registration.owner).calls
        else { return nil }
        let key = MockDirector.Key(module: registration.owner.name, service: key.name)
        return proxy.make(value, calls.calls(of: key))
    }

    private func entry(for request: Request) throws -> EntryScope {
        if let captor = request.captor { throw ResolutionError.wrongLifetime(key, captor: captor.key) }
        guard let entry = container.building.entry else { throw ResolutionError.noEntry(key) }
        return entry
    }

    /// Builds a value, and again if a change overtook the build: the factory may load a module that changes
    /// something already resolved.
    private func buildUntilCurrent<Value>(
        _ registration: Registration, for request: Request, _ make: (ContextCore) throws -> Value
    ) throws -> (value: Value, isCurrent: Bool) {
        for _ in 1..<Self.attemptLimit {
            let start = resets
            let value = try build(registration, for: request, make)
            if self.registration !== registration { return (value, false) }
            if resets == start { return (value, true) }
        }
        return (try build(registration, for: request, make), false)
    }

    private func build<Value>(
        _ registration: Registration, for request: Request, _ make: (ContextCore) throws -> Value
    ) throws -> Value {
        let state = cell.pointee.state
        guard state != .building else { throw ResolutionError.cycle(key) }
        guard request.depth < Request.greatestDepth else { throw ResolutionError.tooDeep(key) }
        cell.pointee.state = .building
        isBuilding = true
        defer {
            isBuilding = false
            // Without content, the cell was closed meanwhile.
            cell.pointee.state = cell.pointee.content == nil ? .closed : state
        }
        beginRecording(registration)
        let inner = request.forFactory(of: self, registration)
        defer { withExtendedLifetime(inner) {} }
        do {
            guard let trace = container.building.trace else { return try make(inner.core) }
            return try trace.measure(self, registration) { try make(inner.core) }
        } catch {
            throw ResolutionError.passing(error, through: key)
        }
    }

    // MARK: - Access by inlined code

    /// Lets inlined code use what was built, if the request sees the slot's own container.
    private func openIfAllowed(_ request: Request) {
        guard container.allowsInlining else { return }
        if request.container === container || request.container.isTransparent { open() }
    }

    /// Lets inlined code use the shared value or the factory, if it may.
    func open() {
        guard let registration, key.label == nil, cell.pointee.state == .closed else { return }
        if let box {
            cell.pointee.content = .passUnretained(box)
            cell.pointee.state = .value
        } else if registration.lifetime == .transient, registration.proxy == nil,
            let factory = registration.factory(in: container.environment)
        {
            let request = Request(container: container, scope: registration.owner, slot: self)
            inlinedRequest = request
            cell.pointee.content = .passUnretained(factory)
            cell.pointee.core = ContextCore(
                index: container.index(of: registration.owner), request: .passUnretained(request))
            cell.pointee.state = .factory
        }
    }

    /// Makes inlined code resolve through the container again.
    func close() {
        if cell.pointee.state == .building {
            // Inlined code that is running the factory uses the factory and its request unretained.
            if !isBuilding { container.building.keep([inlinedRequest, registration]) }
        }
        cell.pointee.state = isBuilding ? .building : .closed
        cell.pointee.content = nil
        inlinedRequest = nil
    }
}

struct SlotEdge: Hashable {
    let target: Slot
    let kind: EdgeKind

    nonisolated static func == (left: SlotEdge, right: SlotEdge) -> Bool {
        left.target === right.target && left.kind == right.kind
    }

    nonisolated func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(target))
        hasher.combine(kind)
    }
}

/// The way in which a dependent holds a dependency.
@frozen @_spi(Host) public enum EdgeKind: String, Sendable, Hashable {
    /// It is built with the value, and held by it.
    case direct
    /// The elements of a list, held by the value.
    case contributions
    /// A provider, which builds later.
    case deferred

    var holds: Bool { self != .deferred }
}
