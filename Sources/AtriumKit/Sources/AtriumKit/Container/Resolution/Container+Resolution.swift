extension Container {
    /// Builds a value, or hands out the shared one.
    ///
    /// - Throws: ``ResolutionError``; the path in it leads from who asked first down to what failed.
    func resolve<Context: LayerContext & ~Copyable, Value>(
        _ type: Value.Type, named name: String? = nil, _ context: Context.Type, for request: Request
    ) throws -> Value {
        let key = RegistrationKey(Value.self, Context.layer, named: name)
        let (slot, registration) = try slot(for: key, askedBy: request)
        if registration.isAsynchronous {
            guard let box = slot.box else { throw ResolutionError.asynchronous(key) }
            return unsafeDowncast(box, to: ValueBox<Value>.self).value
        }
        guard registration.kind == .factory else {
            throw ResolutionError.argumentMismatch(key, expected: registration.argumentTypes, given: [])
        }
        let value: Value = try slot.value(of: registration, for: request) {
            try registration.make($0, context)
        }
        share(slot, with: request)
        return value
    }

    /// Builds a value from arguments.
    ///
    /// - Throws: ``ResolutionError``, with code `argumentMismatch` where the factory takes others.
    func resolve<Context: LayerContext & ~Copyable, Value, each Argument>(
        _ type: Value.Type, named name: String? = nil, _ context: Context.Type, for request: Request,
        _ argument: repeat each Argument
    ) throws -> Value {
        let key = RegistrationKey(Value.self, Context.layer, named: name)
        let (slot, registration) = try slot(for: key, askedBy: request)
        guard
            let typed = registration.typedFactory as? ArgumentFactory<Context, Value, repeat each Argument>
        else {
            var given: [any Any.Type] = []
            for type in repeat (each Argument).self { given.append(type) }
            throw ResolutionError.argumentMismatch(key, expected: registration.argumentTypes, given: given)
        }
        return try slot.value(of: registration, for: request) { try typed.make($0, repeat each argument) }
    }

    /// Builds a value whose factory may have to be awaited, or hands out the shared one.
    ///
    /// Sees the state of the container in which it began, to its end.
    func resolveAsynchronously<Context: LayerContext & ~Copyable, Value>(
        _ type: Value.Type, named name: String? = nil, _ context: Context.Type, for request: Request
    ) async throws -> Value {
        let key = RegistrationKey(Value.self, Context.layer, named: name)
        // What is loaded because of this has to be seen by the state that is kept for it.
        if request.container.find(key) == nil { _ = request.container.demanded(key) }
        let request = request.copy(seeing: pinned)
        let (slot, registration) = try request.container.slot(for: key, askedBy: request)
        guard let typed = registration.typedFactory as? AsynchronousFactory<Context, Value> else {
            return try request.container.resolve(type, named: name, context, for: request)
        }
        return try await request.running { try await slot.value(of: registration, typed, for: request) }
    }

    /// The elements that modules added to `point`, in order; each built, or why it can't be.
    func contributionResults<Element>(
        to point: ContributionPoint<Element>, for request: Request
    ) -> [(module: String, element: Result<Contribution<Element>, any Error>)] {
        let list = place(of: point.key)
        request.add(list, .contributions)
        return members(of: point.key).compactMap { member in
            guard let module = member.registration?.owner.name else { return nil }
            return (module, Result { try contribution(member, in: list, for: request) })
        }
    }

    private func contribution<Element>(
        _ member: Slot, in list: Slot, for request: Request
    ) throws -> Contribution<Element> {
        let (slot, registration) = try slot(for: member.key, askedBy: request, checksAccess: false)
        list.add(SlotEdge(target: slot, kind: .contributions))
        return Contribution(
            module: registration.owner.name, order: registration.membership?.order ?? 0,
            value: try slot.value(of: registration, for: request) {
                try registration.make($0, ContributionContext.self)
            })
    }

    /// The elements that modules added to `point`, in order.
    ///
    /// - Throws: ``ResolutionError`` for the first that can't be built.
    func contributions<Element>(
        to point: ContributionPoint<Element>, for request: Request
    ) throws -> [Contribution<Element>] {
        try contributionResults(to: point, for: request).map { try $0.element.get() }
    }

    /// The slots of a list's elements, as seen from here, in order.
    func members(of point: RegistrationKey) -> [Slot] {
        let inherited = parent?.members(of: point) ?? []
        let own = members[point] ?? []
        guard !inherited.isEmpty else { return own }
        return (inherited.filter { table.slot($0.key)?.isOverride != true } + own).sorted(by: Self.precedes)
    }

    /// The order of contributions: as they say, then by module, then as the module registered them.
    static func precedes(_ left: Slot, _ right: Slot) -> Bool {
        guard let first = left.registration, let second = right.registration else { return false }
        return (first.membership?.order ?? 0, first.owner.name, first.position)
            < (second.membership?.order ?? 0, second.owner.name, second.position)
    }

    /// Finds what is registered under `key`, checks that it may be asked for, and records the edge.
    func slot(
        for key: RegistrationKey, askedBy request: Request, checksAccess: Bool = true
    ) throws -> (Slot, Registration) {
        if isClosed { throw ResolutionError.closed(key) }
        if let scope = request.scope, scope.isRetired, parent == nil || isTransparent {
            throw ResolutionError.retired(key, scope)
        }
        guard let slot = find(key) ?? demanded(key), let registration = slot.registration else {
            request.add(place(of: key), .direct)
            throw notRegistered(key)
        }
        if checksAccess, let scope = request.scope, !scope.reaches(registration.owner) {
            throw ResolutionError.notAllowed(key, owner: registration.owner.name, asker: scope.name)
        }
        request.add(slot, .direct)
        return (slot, registration)
    }

    /// What is registered under `key` once the module is loaded that was waiting to be wanted; nil where none
    /// registers it.
    private func demanded(_ key: RegistrationKey) -> Slot? {
        guard !isSnapshot, sharesValues, let loadOnDemand = root.loadOnDemand,
            loadOnDemand(RegistrationKey.name(of: key.type))
        else { return nil }
        return find(key)
    }

    func notRegistered(_ key: RegistrationKey) -> ResolutionError {
        let keys = registrations.map(\.key)
        let sameName = RegistrationKey.name(of: key.type)
        return .notRegistered(
            key,
            ResolutionError.Surroundings(
                formerOwner: root.slot(key).formerOwner,
                absence: explainMissing?(sameName),
                otherLayer: keys.first { $0.type == key.type && $0.layer != key.layer }?.layer,
                otherLabels: keys.filter { $0.type == key.type && $0.layer == key.layer }.map(\.label),
                isNameElsewhere: keys.contains { $0.name == key.name && $0.type != key.type },
                nearest: NearestName.of(
                    key.name, among: keys.filter { $0.layer == key.layer }.map(\.name).sorted())))
    }

    // MARK: - Screens

    /// Builds a screen for a stack entry.
    func buildScreen<Value>(
        _ registration: Registration, entry: EntryScope, _ make: (ContextCore) throws -> Value
    ) throws -> Value {
        let slot = find(registration.key)
        let request = Request(container: self, scope: registration.owner, slot: slot)
        let outer = ambient.entry
        ambient.entry = entry
        defer { ambient.entry = outer }
        do {
            guard let slot else { return try make(request.core) }
            let core = slot.isRecorded ? request.core(in: self) : request.core
            if !slot.isRecorded { slot.beginRecording(registration) }
            let value =
                try ambient.trace?.measure(slot, registration) { try make(core) } ?? make(core)
            slot.isRecorded = true
            return value
        } catch {
            throw ResolutionError.passing(error, through: registration.key)
        }
    }
}

extension Request {
    /// A core that may use the module's own cells at once, where the container allows that.
    fileprivate func core(in container: Container) -> ContextCore {
        guard container.allowsInlining, let scope, !scope.isRetired, let slot, slot.container === container
        else { return core }
        return ContextCore(index: container.index(of: scope), request: .passUnretained(self))
    }
}
