/// The registrations of all active modules and the values built from them, on the main actor, without locks.
///
/// Values are found by the identity of their type and called through it, never cast; `Inlined/` is the fast
/// path. A container with a parent sees the parent's registrations, except where it has its own: a test's
/// overrides, the next state of a change (``StagedChange``), or a past state (``hold()``).
@MainActor
@_spi(Host) public final class Container {
    public let environment: Environment
    let session: SessionManager
    /// The size of the front end, for screens that are built without one of their own.
    public let viewport: ViewportMonitor
    let building: BuildState
    var table = SlotTable()

    var parent: Container?
    /// True if the parent's values are used unless something here affects them.
    let sharesValues: Bool
    /// True if everything here is the same as in the parent.
    var isTransparent = false
    let isSnapshot: Bool
    /// Replaces the modules' own infrastructure.
    private let substitute: (@MainActor (ModuleScope) -> ModuleScope.Infrastructure)?

    var owned: [ObjectIdentifier: [Registration]] = [:]
    var members: [RegistrationKey: [Slot]] = [:]

    /// The cells that inlined code of each module finds.
    private var indexes: [ObjectIdentifier: CellIndexStorage] = [:]
    private(set) var isClosed = false
    /// A child that keeps seeing the current state after the next one is published; nil while not needed.
    weak var snapshot: Container?
    /// The number of changes so far; it wraps around.
    public internal(set) var version = 0
    private(set) var graphVersion = 0
    var affected = AffectedSlots()

    /// Returns the error for building a service of an environment other than mock; nil allows it.
    public var refuseUnmocked: (@MainActor (RegistrationKey, Environment) -> (any Error)?)?

    /// Explains which inactive module would register a type.
    public var explainMissing: (@MainActor (_ name: String) -> MissingProvider?)?

    /// Loads the module that registers a type on demand, for a container that lacks it; returns whether it
    /// did.
    public var loadOnDemand: (@MainActor (_ name: String, _ container: Container) -> Bool)?

    /// The explanation of a missing registration, for the error.
    public struct MissingProvider: Sendable {
        let message: String
        let hint: String

        public init(message: String, hint: String) {
            self.message = message
            self.hint = hint
        }
    }

    /// Creates a container without registrations; `infrastructure` replaces the modules' own.
    public convenience init(
        environment: Environment, session: SessionManager = .shared,
        viewport: ViewportMonitor = ViewportMonitor(),
        infrastructure: (@MainActor (ModuleScope) -> ModuleScope.Infrastructure)? = nil
    ) {
        self.init(
            parent: nil, environment: environment, session: session, viewport: viewport,
            infrastructure: infrastructure)
    }

    private init(
        parent: Container?, environment: Environment, session: SessionManager, viewport: ViewportMonitor,
        building: BuildState = BuildState(), sharesValues: Bool = true, isSnapshot: Bool = false,
        infrastructure: (@MainActor (ModuleScope) -> ModuleScope.Infrastructure)?
    ) {
        self.parent = parent
        self.environment = environment
        self.session = session
        self.viewport = viewport
        self.building = building
        self.sharesValues = sharesValues
        self.isSnapshot = isSnapshot
        isTransparent = isSnapshot
        substitute = infrastructure
        explainMissing = parent?.explainMissing
        refuseUnmocked = sharesValues ? parent?.refuseUnmocked : nil
    }

    /// Creates a child container, which takes overrides; a snapshot keeps the parent's current state.
    ///
    /// Values that hold something overridden are built again in the child; all others are shared.
    public convenience init(parent: Container, isSnapshot: Bool = false) {
        self.init(
            parent: parent, environment: parent.environment, session: parent.session,
            viewport: parent.viewport, building: parent.building, isSnapshot: isSnapshot,
            infrastructure: parent.substitute)
    }

    /// Creates a container in environment mock that sees what `parent` registers, shares none of its values,
    /// and touches nothing.
    convenience init(
        sandboxOf parent: Container, session: SessionManager,
        infrastructure: @escaping @MainActor (ModuleScope) -> ModuleScope.Infrastructure
    ) {
        self.init(
            parent: parent, environment: .mock, session: session, viewport: ViewportMonitor(),
            sharesValues: false, infrastructure: infrastructure)
    }

    /// Breaks the cycles of slots, which hold each other through their edges.
    isolated deinit {
        for slot in table.slots { slot.dissolve() }
    }

    /// The number of registrations.
    public var count: Int { registrations.count }

    func infrastructure(of scope: ModuleScope) -> ModuleScope.Infrastructure {
        substitute?(scope) ?? scope.infrastructure
    }

    func edgesChanged() {
        graphVersion &+= 1
        parent?.edgesChanged()
    }

    // MARK: - Slots

    /// The container at the end of the chain of parents.
    var root: Container { parent?.root ?? self }

    /// The container in which a provider resolves: the nearest one that has its own state.
    var lasting: Container {
        guard let parent, !isClosed, isSnapshot || isTransparent else { return self }
        return parent.lasting
    }

    /// The slot of `key` in this very container, created on first use.
    func slot(_ key: RegistrationKey) -> Slot { table.slot(key, in: self) }

    /// The slot of `key` in the container that decides what is registered here.
    func visibleSlot(_ key: RegistrationKey) -> Slot {
        guard isTransparent, let parent else { return slot(key) }
        return parent.visibleSlot(key)
    }

    /// The slot that builds the registration of `key`, as seen from here; nil if there is none.
    func find(_ key: RegistrationKey) -> Slot? {
        guard !isClosed else { return nil }
        if let own = table.registeredSlot(key, in: self), own.isOverride || own.registration != nil {
            return own.registration == nil ? nil : own
        }
        guard let parent, let inherited = parent.find(key) else { return nil }
        if isTransparent { return inherited }
        if sharesValues, inherited.box != nil, !isAffected(inherited) { return inherited }
        let copy = slot(key)
        copy.replace(inherited.registration)
        return copy
    }

    var registrations: [Registration] {
        guard let parent else { return table.registrations }
        let own = table.slots.filter(\.isOverride).compactMap(\.registration)
        return parent.registrations.filter { table.slot($0.key)?.isOverride != true } + own
    }

    func registration(_ key: RegistrationKey) -> Registration? {
        guard let parent else { return table.registration(key) }
        if let own = table.slot(key), own.isOverride { return own.registration }
        return parent.registration(key)
    }

    func becomeTransparent() {
        table = SlotTable()
        owned = [:]
        members = [:]
        isTransparent = true
    }

    /// Releases everything that was built here; every later resolution fails.
    ///
    /// Values hold providers, and providers their container, so a container that is only dropped would leak.
    public func close() {
        isClosed = true
        var released: [AnyObject] = []
        for slot in table.slots {
            slot.keepHeld(in: &released)
            slot.replace(nil)
        }
        becomeTransparent()
        indexes = [:]
        // A `deinit` may resolve something, and must find the container closed.
        released = []
    }

    // MARK: - The fast path

    /// True if inlined code may use what is built here.
    var allowsInlining: Bool { parent == nil && building.trace == nil }

    func index(of scope: ModuleScope) -> UnsafeMutablePointer<CellIndex> {
        storage(of: scope).pointer
    }

    private func storage(of scope: ModuleScope) -> CellIndexStorage {
        if let storage = indexes[ObjectIdentifier(scope)] { return storage }
        let storage = CellIndexStorage()
        indexes[ObjectIdentifier(scope)] = storage
        return storage
    }

    func forgetIndex(of scope: ModuleScope) {
        indexes[ObjectIdentifier(scope)] = nil
    }

    /// Lets inlined code of the requesting module find a slot next time.
    func share(_ slot: Slot, with request: Request) {
        guard allowsInlining, slot.container === self, slot.key.label == nil, let scope = request.scope,
            !scope.isRetired, !request.isBound
        else { return }
        storage(of: scope).insert(slot.key.word, slot.cell)
    }

    /// Empties every index, after a key moved from one module to another.
    func forgetIndexes() {
        for storage in indexes.values { storage.removeAll() }
    }

    // MARK: - Overrides

    /// Overrides a service in this container; throws ``ResolutionError`` if no module registers it.
    public func override<Service>(
        _ type: Service.Type, named name: String? = nil, with make: @escaping @MainActor () throws -> Service
    ) throws {
        let key = RegistrationKey(Service.self, .service, named: name)
        guard let present = registration(key) else { throw notRegistered(key) }
        override(
            Registration(
                key, owner: present.owner, lifetime: present.lifetime, membership: present.membership
            ) {
                (context: borrowing ServiceContext) in try make()
            },
            for: key)
        releaseAffectedCopies()
    }

    // MARK: - Trace

    /// Passes build events to `receive`, those of one request together; nil stops that.
    public func trace(_ receive: (@MainActor ([BuildEvent]) -> Void)?) {
        building.trace = receive.map(BuildTrace.init)
        for slot in table.slots where slot.box == nil { slot.close() }
    }

    /// True while build events are passed to a receiver; see ``trace(_:)``.
    public var isTraced: Bool { building.trace != nil }
}

/// The state that a container and its children share while something is built.
@MainActor
final class BuildState {
    var entry: EntryScope?
    var trace: BuildTrace?
    private var depth = 0
    /// The objects that running inlined code uses unretained; it runs only while a screen is built.
    private var kept: [AnyObject] = []

    func keep(_ objects: [AnyObject?]) {
        kept += objects.compactMap(\.self)
    }

    func forScreen<Value>(of entry: EntryScope, _ body: () throws -> Value) rethrows -> Value {
        let outer = self.entry
        self.entry = entry
        depth += 1
        defer {
            self.entry = outer
            depth -= 1
            if depth == 0, !kept.isEmpty { kept = [] }
        }
        return try body()
    }
}
