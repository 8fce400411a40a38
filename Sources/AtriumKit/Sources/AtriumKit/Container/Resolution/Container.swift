/// The registrations of all active modules, and what was built of them.
///
/// Lives on the main actor and takes no locks: composition is work of the screen. Values are found by the
/// identity of their type and called through it, never cast. What a factory asks for comes through the
/// context of its layer; see `Inlined/` for the fast path.
///
/// A container with a parent sees the parent's registrations, except where it has its own: a test's
/// overrides, the next state of a change that is being prepared (``StagedChange``), or the last state for an
/// awaited build that began in it.
@MainActor
@_spi(Host) public final class Container {
    /// The environment whose services are built.
    public let environment: Environment
    let session: SessionManager
    /// The room that screens have.
    public let viewport: ViewportMonitor
    let ambient: Ambient
    var table = SlotTable()

    /// Whose registrations are seen where there is no slot here.
    var parent: Container?
    /// Whether values that the parent built are handed out, where nothing here makes a difference to them.
    let sharesValues: Bool
    /// Whether nothing here makes a difference to what the parent has.
    var isTransparent = false
    let isSnapshot: Bool
    /// What modules get instead of their own infrastructure.
    private let substitute: (@MainActor (ModuleScope) -> ModuleScope.Infrastructure)?

    /// What each module registered here.
    var owned: [ObjectIdentifier: [Registration]] = [:]
    /// The elements of each list that modules add to, by the key of the list.
    var members: [RegistrationKey: [Slot]] = [:]

    /// The factories that are being awaited here, where the state may become another container's.
    private var running: [Request] = []
    /// What inlined code of each module finds at once.
    private var indexes: [ObjectIdentifier: CellIndexStorage] = [:]
    /// Whether nothing can be asked for here any more.
    private(set) var isClosed = false
    /// Sees this state and goes on seeing it when the next is published; nil while nobody needs that.
    weak var snapshot: Container?
    /// Counts the changes of what is registered.
    public internal(set) var version = 0
    /// Counts the changes of the graph, so that what was derived from it can be kept until it changes.
    private(set) var graphVersion = 0
    var affected = AffectedSlots()

    /// Refuses to build a service's implementation for an environment other than mock; nil allows it.
    public var refuseUnmocked: (@MainActor (_ service: String, Environment) -> (any Error)?)?

    /// Explains why nobody registers what a name says, where a module that is not active would.
    public var explainMissing: (@MainActor (_ name: String) -> MissingProvider?)?

    /// Loads the module that registers what a name says, where it is loaded when it is first wanted; answers
    /// whether it did.
    public var loadOnDemand: (@MainActor (_ name: String) -> Bool)?

    /// Who would provide what is missing.
    public struct MissingProvider: Sendable {
        let message: String
        let hint: String

        public init(message: String, hint: String) {
            self.message = message
            self.hint = hint
        }
    }

    /// Makes a container without registrations.
    ///
    /// - Parameters:
    ///   - environment: Which implementation of every service is built.
    ///   - session: The session that contexts give access to.
    ///   - viewport: The room that screens have; 80 columns of 24 rows unless given.
    ///   - infrastructure: What modules get instead of their own; nil leaves them theirs.
    public init(
        environment: Environment, session: SessionManager = .shared,
        viewport: ViewportMonitor = ViewportMonitor(),
        infrastructure: (@MainActor (ModuleScope) -> ModuleScope.Infrastructure)? = nil
    ) {
        self.environment = environment
        self.session = session
        self.viewport = viewport
        self.substitute = infrastructure
        ambient = Ambient()
        sharesValues = true
        isSnapshot = false
    }

    /// Makes a container that sees what `parent` has.
    init(parent: Container, isSnapshot: Bool = false) {
        self.parent = parent
        self.isSnapshot = isSnapshot
        isTransparent = isSnapshot
        environment = parent.environment
        session = parent.session
        viewport = parent.viewport
        ambient = parent.ambient
        substitute = parent.substitute
        sharesValues = true
        explainMissing = parent.explainMissing
        refuseUnmocked = parent.refuseUnmocked
    }

    /// Makes a container that sees the present state of `container`, and will go on seeing it.
    convenience init(snapshotOf container: Container) {
        self.init(parent: container, isSnapshot: true)
    }

    /// Makes a container that sees what `parent` registers, builds all of it anew, and touches nothing.
    init(
        aside parent: Container, environment: Environment, session: SessionManager,
        infrastructure: @escaping @MainActor (ModuleScope) -> ModuleScope.Infrastructure
    ) {
        self.parent = parent
        self.environment = environment
        self.session = session
        viewport = ViewportMonitor()
        self.substitute = infrastructure
        ambient = Ambient()
        sharesValues = false
        isSnapshot = false
        explainMissing = parent.explainMissing
    }

    /// Slots hold each other through their edges.
    isolated deinit {
        for slot in table.slots { slot.dissolve() }
    }

    /// How many registrations there are, those of screens included.
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

    /// Where somebody asks who keeps on asking: not in a state that passes.
    var lasting: Container {
        guard let parent, !isClosed, isSnapshot || isTransparent else { return self }
        return parent.lasting
    }

    /// The slot of `key` in this very container, made where it has none.
    func slot(_ key: RegistrationKey) -> Slot {
        if let slot = table.slot(key, in: self, makes: true) { return slot }
        preconditionFailure("A slot that is to be made is made.")
    }

    /// The slot of `key` in the container that says what is there as seen from here.
    func place(of key: RegistrationKey) -> Slot {
        guard isTransparent, let parent else { return slot(key) }
        return parent.place(of: key)
    }

    /// The slot in which what is registered under `key` is built, as seen from here; nil where nothing is.
    func find(_ key: RegistrationKey) -> Slot? {
        guard !isClosed else { return nil }
        if let own = table.slot(key, in: self, makes: false), own.isOverride || own.registration != nil {
            return own.registration == nil ? nil : own
        }
        guard let parent, let inherited = parent.find(key) else { return nil }
        if isTransparent { return inherited }
        if sharesValues, inherited.box != nil, !isAffected(inherited) { return inherited }
        let copy = slot(key)
        copy.replace(inherited.registration)
        return copy
    }

    /// Everything that is registered, as seen from here.
    var registrations: [Registration] {
        guard let parent else { return table.registrations }
        let own = table.slots.filter(\.isOverride).compactMap(\.registration)
        return parent.registrations.filter { table.slot($0.key)?.isOverride != true } + own
    }

    /// What is registered under `key`, as seen from here.
    func registration(_ key: RegistrationKey) -> Registration? {
        guard let parent else { return table.registration(key) }
        if let own = table.slot(key), own.isOverride { return own.registration }
        return parent.registration(key)
    }

    /// Forgets all slots: what is seen is what the parent has.
    func becomeTransparent() {
        table = SlotTable()
        owned = [:]
        members = [:]
        isTransparent = true
    }

    /// Lets go of everything that was built here; to ask is an error from now on.
    ///
    /// Values hold providers and providers their container, so a container that is only dropped would stay.
    public func close() {
        isClosed = true
        var released: [AnyObject] = []
        for slot in table.slots {
            slot.flight?.cancel()
            slot.keepHeld(in: &released)
            slot.replace(nil)
        }
        becomeTransparent()
        indexes = [:]
        // What is released may ask for something as it goes, and has to find the container closed.
        released = []
    }

    /// Whether a factory is being awaited here.
    var isAwaited: Bool { !running.isEmpty }

    func began(_ request: Request) {
        if parent != nil, !isSnapshot { running.append(request) }
    }

    func ended(_ request: Request) {
        running.removeAll { $0 === request }
    }

    /// Lets the factories that are being awaited go on in `container`, which has this state now.
    func moveRunning(to container: Container) {
        for request in running { request.move(to: container) }
        running = []
    }

    /// The state that an awaited build goes on seeing.
    var pinned: Container {
        if let snapshot { return snapshot }
        guard parent == nil else { return isTransparent && !isSnapshot ? root.pinned : self }
        let snapshot = Container(snapshotOf: self)
        self.snapshot = snapshot
        return snapshot
    }

    // MARK: - The fast path

    /// Whether inlined code may use what is built here.
    var allowsInlining: Bool { parent == nil && ambient.trace == nil }

    /// The cells that a module may use at once.
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

    /// Lets inlined code of the module that asks find a slot the next time.
    func share(_ slot: Slot, with request: Request) {
        guard allowsInlining, slot.container === self, slot.key.label == nil, let scope = request.scope,
            !scope.isRetired
        else { return }
        storage(of: scope).insert(slot.key.word, slot.cell)
    }

    /// Makes every module find its way again, after a key went from one module to another.
    func forgetIndexes() {
        for storage in indexes.values { storage.removeAll() }
    }

    // MARK: - Overrides

    /// Makes a container that sees what `container` has, except for what is replaced in it.
    ///
    /// What holds something that is replaced is built anew in the child; everything else is shared.
    public convenience init(overriding container: Container) {
        self.init(parent: container)
    }

    /// Registers `make` for a service in place of what is registered; the parent keeps that.
    ///
    /// - Throws: ``ResolutionError`` where nobody registers the service.
    public func override<Service>(
        _ type: Service.Type, named name: String? = nil, with make: @escaping @MainActor () throws -> Service
    ) throws {
        let key = RegistrationKey(Service.self, .service, named: name)
        guard let present = registration(key) else { throw notRegistered(key) }
        override(
            Registration(key, owner: present.owner, lifetime: present.lifetime) {
                (context: borrowing ServiceContext) in try make()
            },
            for: key)
        letGoOfInherited()
    }

    // MARK: - Trace

    /// Receives what is built, the builds of one request together; nil for nobody, which costs nothing.
    public func trace(_ receive: (@MainActor ([BuildEvent]) -> Void)?) {
        ambient.trace = receive.map(BuildTrace.init)
        for slot in table.slots where slot.box == nil { slot.close() }
    }

    /// Whether builds are traced.
    public var isTraced: Bool { ambient.trace != nil }
}
