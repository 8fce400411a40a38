extension Container {
    func resolve<Context: LayerContext & ~Copyable, Value>(
        _ type: Value.Type, named name: String? = nil, _ context: Context.Type, for request: Request
    ) throws -> Value {
        let key = RegistrationKey(Value.self, Context.layer, named: name)
        let (slot, registration) = try slot(for: key, request)
        let value: Value = try self.value(of: registration, in: slot, context, for: request)
        share(slot, with: request)
        return value
    }

    func value<Context: LayerContext & ~Copyable, Value>(
        of registration: Registration, in slot: Slot, _ context: Context.Type, for request: Request
    ) throws -> Value {
        guard case .factory = registration.kind else {
            throw ResolutionError.argumentMismatch(slot.key, expected: registration.argumentTypes, given: [])
        }
        return try slot.value(of: registration, for: request) { try registration.make($0, context) }
    }

    /// Resolves a registration that may not be there: nil if no module registers it, or only a used one whose
    /// version does not fit.
    ///
    /// The edge is recorded all the same, so what was built without it is built again when it comes. Inlined code
    /// never finds the value: elsewhere in the module it may only be looked up like this, too.
    func resolveIfPresent<Context: LayerContext & ~Copyable, Value>(
        _ type: Value.Type, named name: String? = nil, _ context: Context.Type, for request: Request
    ) throws -> Value? {
        let key = RegistrationKey(Value.self, Context.layer, named: name)
        try checkIsOpen(key, request)
        guard let slot = find(key) ?? findOnDemand(key), let registration = slot.registration else {
            request.add(visibleSlot(key), .direct)
            if let scope = request.scope, scope.uses.isEmpty, scope.requires.isEmpty {
                throw ResolutionError.notUsed(key, requester: scope.name)
            }
            return nil
        }
        let owner = registration.owner
        if let scope = request.scope, !scope.finds(owner), scope.uses[owner.name] == nil {
            throw ResolutionError.notAllowed(key, owner: owner.name, scope)
        }
        request.add(slot, .direct)
        guard request.scope?.finds(owner) != false else { return nil }
        return try value(of: registration, in: slot, context, for: request) as Value
    }

    func resolve<Context: LayerContext & ~Copyable, Value, each Argument>(
        _ type: Value.Type, named name: String? = nil, _ context: Context.Type, for request: Request,
        _ argument: repeat each Argument
    ) throws -> Value {
        let key = RegistrationKey(Value.self, Context.layer, named: name)
        let (slot, registration) = try slot(for: key, request)
        guard case .arguments(let factory) = registration.kind,
            let typed = factory as? ArgumentFactory<Context, Value, repeat each Argument>
        else {
            var given: [any Any.Type] = []
            for type in repeat (each Argument).self { given.append(type) }
            throw ResolutionError.argumentMismatch(key, expected: registration.argumentTypes, given: given)
        }
        return try slot.value(of: registration, for: request) { try typed.make($0, repeat each argument) }
    }

    /// Finds the registration of `key`, checks that the request may reach it, and records the edge.
    func slot(
        for key: RegistrationKey, _ request: Request, checksAccess: Bool = true
    ) throws -> (Slot, Registration) {
        try checkIsOpen(key, request)
        guard let slot = find(key) ?? findOnDemand(key), let registration = slot.registration else {
            request.add(visibleSlot(key), .direct)
            throw notRegistered(key, for: request.scope)
        }
        if checksAccess, let scope = request.scope, !scope.reaches(registration.owner),
            !request.isBound(to: registration.owner)
        {
            throw ResolutionError.notAllowed(key, owner: registration.owner.name, scope)
        }
        request.add(slot, .direct)
        return (slot, registration)
    }

    private func checkIsOpen(_ key: RegistrationKey, _ request: Request) throws {
        if isClosed { throw ResolutionError.closed(key) }
        if let scope = request.scope, scope.isRetired, parent == nil || isTransparent {
            throw ResolutionError.retired(key, scope)
        }
    }

    private func findOnDemand(_ key: RegistrationKey) -> Slot? {
        guard !isSnapshot, sharesValues, let loadOnDemand = root.loadOnDemand,
            loadOnDemand(RegistrationKey.name(of: key.type), self)
        else { return nil }
        return find(key)
    }

    func notRegistered(_ key: RegistrationKey, for requester: ModuleScope? = nil) -> ResolutionError {
        let registrations = registrations
        let keys = registrations.map(\.key)
        let namesake = registrations.first { $0.key.name == key.name && $0.key.type != key.type }
        return .notRegistered(
            key,
            ResolutionError.Surroundings(
                formerOwner: root.slot(key).formerOwner,
                provider: explainMissing?(RegistrationKey.name(of: key.type)),
                otherLayer: keys.first { $0.type == key.type && $0.layer != key.layer }?.layer,
                otherLabels: keys.filter { $0.type == key.type && $0.layer == key.layer }.map(\.label),
                namesake: namesake, requester: requester,
                nearest: NearestName.of(
                    key.name, among: keys.filter { $0.layer == key.layer }.map(\.name).sorted())))
    }

    // MARK: - Screens

    func buildScreen(
        _ registration: Registration, navigator: any Navigator, viewport: ViewportMonitor?,
        _ make: (ContextCore) throws -> any View
    ) throws -> Screen {
        var attempts = 0
        while true {
            attempts += 1
            let entry = EntryScope(navigator: navigator, viewport: viewport)
            do {
                let (view, isCurrent) = try building.forScreen(of: entry) { try build(registration, make) }
                if isCurrent || attempts == Slot.attemptLimit { return Screen(view: view, entry: entry) }
            } catch {
                // Tasks that its view models started end with it.
                entry.leave()
                throw ResolutionError.passing(error, through: registration.key)
            }
            entry.leave()
        }
    }

    private func build(
        _ registration: Registration, _ make: (ContextCore) throws -> any View
    ) throws -> (view: any View, isCurrent: Bool) {
        let slot = find(registration.key)
        let request = Request(container: self, scope: registration.owner, slot: slot)
        defer { withExtendedLifetime(request) {} }
        guard let slot else { return (try make(request.core), true) }
        let core = slot.isRecorded ? request.core(in: self) : request.core
        if !slot.isRecorded { slot.beginRecording(registration) }
        let start = slot.resets
        let view = try building.trace?.measure(slot, registration) { try make(core) } ?? make(core)
        slot.isRecorded = slot.resets == start
        return (view, slot.isRecorded)
    }

    // MARK: - For the host and tests

    /// Builds a value, or returns the shared one.
    public func value<Value>(_ type: Value.Type, _ layer: Layer, named name: String? = nil) throws -> Value {
        let request = Request(container: self, scope: nil)
        switch layer {
        case .infrastructure: return try resolve(type, named: name, InfrastructureContext.self, for: request)
        case .service: return try resolve(type, named: name, ServiceContext.self, for: request)
        case .repository: return try resolve(type, named: name, RepositoryContext.self, for: request)
        case .useCase: return try resolve(type, named: name, UseCaseContext.self, for: request)
        case .aggregateModel: return try resolve(type, named: name, AggregateModelContext.self, for: request)
        case .viewModel: return try resolve(type, named: name, ViewModelContext.self, for: request)
        default: preconditionFailure("\(layer.phrase) is not resolved by type.")
        }
    }

    /// Builds a value from arguments.
    public func value<Value, First, each Argument>(
        _ type: Value.Type, _ layer: Layer, from first: First, _ argument: repeat each Argument
    ) throws -> Value {
        let request = Request(container: self, scope: nil)
        switch layer {
        case .useCase:
            return try resolve(type, UseCaseContext.self, for: request, first, repeat each argument)
        case .aggregateModel:
            return try resolve(type, AggregateModelContext.self, for: request, first, repeat each argument)
        case .viewModel:
            return try resolve(type, ViewModelContext.self, for: request, first, repeat each argument)
        default: preconditionFailure("\(layer.phrase) takes no arguments.")
        }
    }

    /// Runs `body`, which builds view models, for a new stack entry with `navigator`.
    public func inEntry<Value>(
        of navigator: any Navigator, _ body: () throws -> Value
    ) rethrows -> (value: Value, entry: EntryScope) {
        let entry = EntryScope(navigator: navigator)
        return (try building.forScreen(of: entry, body), entry)
    }
}

extension Request {
    /// A core that may use the module's own cells directly, if the container allows that.
    fileprivate func core(in container: Container) -> ContextCore {
        guard container.allowsInlining, let scope, !scope.isRetired, let slot, slot.container === container
        else { return core }
        return ContextCore(index: container.index(of: scope), request: .passUnretained(self))
    }
}
