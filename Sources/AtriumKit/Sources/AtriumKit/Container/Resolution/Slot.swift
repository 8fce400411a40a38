/// The place of one key in one container: what is registered there now, and what was built of it.
///
/// Belongs to the key, not to the registration, and is never freed while its container lives: registering,
/// replacing and removing are each an exchange here, so that who holds the slot sees what is there next.
@MainActor
final class Slot {
    nonisolated let key: RegistrationKey
    unowned let container: Container
    /// What inlined code reads of the slot; unsafe for the deinitializer only, when nobody else has it.
    nonisolated(unsafe) let cell: UnsafeMutablePointer<Cell>

    private(set) var registration: Registration?
    /// Whether the slot hides its parent container's, also where nothing is registered in it.
    var isOverride = false
    /// The ``ValueBox`` of the shared value.
    private(set) var box: AnyObject?
    /// The build of the shared value that is being awaited.
    var flight: AnyFlight?
    /// Whom the factory asked for, in order.
    private(set) var edges: [SlotEdge] = []
    /// Who holds what this slot built; the reverse of ``edges``, without those that hold nothing.
    private(set) var dependents: [Slot] = []
    /// How often the factory ran other than through the inlined path.
    private(set) var builds = 0
    /// Whether a factory has succeeded here.
    var hasSucceeded = false
    /// Whether the edges of a screen are known.
    var isRecorded = false
    /// The module that registered here last, where nothing is registered now; its name only: the slot outlives
    /// the generation.
    private(set) var formerOwner: String?

    /// On whose behalf the factory asks when inlined code runs it.
    private var steadyRequest: Request?

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

    // MARK: - What is registered

    /// Exchanges the registration; nil leaves nothing.
    func replace(_ registration: Registration?) {
        if cell.pointee.state == .building {
            fatalError("A factory that runs can't change what is registered.")
        }
        reset()
        if registration == nil { formerOwner = self.registration?.owner.name ?? formerOwner }
        self.registration = registration
    }

    /// Lets go of what was built.
    func reset() {
        close()
        box = nil
        flight = nil
        isRecorded = false
        clearEdges()
    }

    /// Adds what goes when the slot is exchanged, so that it is kept until everything is in its new place.
    func keepHeld(in released: inout [AnyObject]) {
        if let box { released.append(box) }
        if let registration { released.append(registration) }
        if let flight { released.append(flight) }
    }

    /// Lets go of everything, when the container goes.
    func dissolve() {
        close()
        box = nil
        flight = nil
        edges = []
        dependents = []
    }

    /// Takes over what `other` built, for the same registration.
    func adopt(_ other: Slot) {
        close()
        box = other.box
        builds += other.builds
        // What earlier builds of a transient value asked for is still held by who holds them.
        if registration?.lifetime != .transient { clearEdges() }
        other.edges.forEach(add)
    }

    /// Keeps what is registered and built in `other`, which is about to change.
    func preserve(_ other: Slot) {
        registration = other.registration
        formerOwner = other.formerOwner
        box = other.box
        other.edges.forEach(add)
        flight = other.flight
        if flight?.slot === other { flight?.slot = self }
    }

    // MARK: - Edges

    /// Records an edge to the slot of the same key in this container, which lives as long as this one.
    func add(_ edge: SlotEdge) {
        let edge = SlotEdge(target: container.slot(edge.target.key), kind: edge.kind)
        guard !edges.contains(edge) else { return }
        edges.append(edge)
        container.edgesChanged()
        if edge.kind.holds { edge.target.dependents.append(self) }
    }

    private func clearEdges() {
        guard !edges.isEmpty else { return }
        for edge in edges where edge.kind.holds {
            edge.target.dependents.removeAll { $0 === self }
        }
        edges = []
        container.edgesChanged()
    }

    /// Forgets the edges of an earlier value, before the next is built.
    func beginRecording(_ registration: Registration) {
        builds += 1
        if registration.lifetime != .transient { clearEdges() }
    }

    // MARK: - What inlined code may use

    /// Keeps a shared value.
    func keep(_ box: AnyObject) {
        self.box = box
    }

    /// Lets inlined code use what is there, where it may.
    func open() {
        guard let registration, key.label == nil, cell.pointee.state == .closed else { return }
        if let box {
            cell.pointee.content = .passUnretained(box)
            cell.pointee.state = .value
        } else if registration.lifetime == .transient,
            let factory = registration.factory(in: container.environment)
        {
            let request = Request(container: container, scope: registration.owner, slot: self)
            steadyRequest = request
            cell.pointee.content = .passUnretained(factory)
            cell.pointee.core = ContextCore(
                index: container.index(of: registration.owner), request: .passUnretained(request))
            cell.pointee.state = .factory
        }
    }

    /// Sends every resolution the slow way again.
    func close() {
        cell.pointee.state = .closed
        cell.pointee.content = nil
        steadyRequest = nil
    }
}

/// That the factory of a slot asked for another.
struct SlotEdge: Equatable {
    let target: Slot
    let kind: EdgeKind

    nonisolated static func == (left: SlotEdge, right: SlotEdge) -> Bool {
        left.target === right.target && left.kind == right.kind
    }
}

/// What asking for something leads to.
@frozen @_spi(Host) public enum EdgeKind: String, Sendable, Hashable {
    /// The value is built with the one that asks, and held by it.
    case direct
    /// The elements of a list are held by the one that asks.
    case contributions
    /// A provider is held, which builds later.
    case deferred

    /// Whether who asked holds what it got.
    var holds: Bool { self != .deferred }
}
