extension Container {
    /// Adds everything that a module registered, or nothing: throws ``RegistrationError`` for a key in use.
    @discardableResult
    public func add(_ registry: ModuleRegistry) throws -> ContainerChange {
        if let finding = registry.findings.first { throw finding }
        return try add(registry.registrations)
    }

    func add(_ registrations: [Registration]) throws -> ContainerChange {
        for added in registrations {
            guard let present = registration(added.key) else { continue }
            throw RegistrationError.duplicate(
                added.key, module: added.owner.name, presentModule: present.owner.name)
        }
        var exchanges: [(Slot, Registration?)] = []
        for registration in registrations where !put(registration) {
            exchanges.append((slot(registration.key), registration))
        }
        if let owner = registrations.first?.owner {
            owned[ObjectIdentifier(owner), default: []] += registrations
        }
        return exchange(exchanges, of: registrations, retiring: [])
    }

    /// Removes a module's registrations for good, and releases what was built from them or holds such values.
    @discardableResult
    public func remove(_ module: ModuleScope) -> ContainerChange {
        remove(owned[ObjectIdentifier(module)] ?? [], retiring: [module])
    }

    func remove(_ registrations: [Registration], retiring: [ModuleScope] = []) -> ContainerChange {
        var exchanges: [(Slot, Registration?)] = []
        for registration in registrations where !take(registration) {
            let slot = slot(registration.key)
            if slot.registration === registration { exchanges.append((slot, nil)) }
        }
        registrations.forEach(disown)
        return exchange(exchanges, of: registrations, retiring: retiring)
    }

    /// Releases everything that was built, except infrastructure: the next request builds it again, from data
    /// that has been exchanged.
    public func renew() -> ContainerChange {
        let built = table.slots.filter { slot in
            slot.registration != nil && slot.key.layer != .infrastructure
                && (slot.box != nil || !slot.edges.isEmpty)
        }
        return exchange(built.map { ($0, $0.registration) }, retiring: [])
    }

    /// Forgets the owner of a registration that leaves before its module.
    func disown(_ registration: Registration) {
        guard !registration.needs.isEmpty else { return }
        owned[ObjectIdentifier(registration.owner)]?.removeAll { $0 === registration }
    }

    /// True if nothing can depend on a registration that has no slot.
    private func isUnseen(_ registration: Registration) -> Bool {
        parent == nil && snapshot == nil && registration.membership == nil
    }

    private func put(_ registration: Registration) -> Bool {
        isUnseen(registration) && table.put(registration)
    }

    private func take(_ registration: Registration) -> Bool {
        isUnseen(registration) && table.take(registration)
    }

    func override(_ registration: Registration?, for key: RegistrationKey) {
        override([(key, registration)])
    }

    /// Overrides several keys at once: a list is sorted once, however many of its members change.
    func override(_ overrides: [(key: RegistrationKey, registration: Registration?)]) {
        let exchanges = overrides.map { key, registration in
            let slot = slot(key)
            slot.isOverride = true
            return (slot, registration)
        }
        _ = exchange(exchanges, retiring: [])
    }

    /// Exchanges registrations in one step, and releases exactly the values that hold something they built.
    ///
    /// `registrations` is everything added or removed, with or without a slot; `retired` are the generations
    /// that are removed for good, `next` is the staged state, with the values built in it.
    func exchange(
        _ exchanges: [(Slot, Registration?)], of registrations: [Registration]? = nil,
        retiring retired: [ModuleScope], adopting next: Container? = nil
    ) -> ContainerChange {
        let past = snapshot
        let changed = exchanges.map(\.0)
        let lists = lists(of: exchanges)
        let affected = changed.isEmpty ? [] : dependents(of: changed + lists.compactMap { table.slot($0) })
        preserve(changed + affected)
        // Released at the end: a `deinit` may resolve something, and must find the next state.
        let released = held(by: changed + affected)
        defer { withExtendedLifetime(released) {} }
        for slot in affected { slot.reset() }
        for (slot, registration) in exchanges { exchange(slot, registration) }
        sortMembers(after: exchanges, lists)
        for scope in retired {
            scope.isRetired = true
            scope.past = past
            owned[ObjectIdentifier(scope)] = nil
            forgetIndex(of: scope)
        }
        version &+= 1
        if let next { adopt(next) }
        return ContainerChange(
            changed: registrations?.map(\.key) ?? changed.map(\.key), affected: affected.map(\.key))
    }

    private func held(by slots: [Slot]) -> [AnyObject] {
        var held: [AnyObject] = []
        for slot in slots { slot.keepHeld(in: &held) }
        return held
    }

    private func exchange(_ slot: Slot, _ registration: Registration?) {
        let former = slot.registration?.owner.name ?? slot.formerOwner
        if let former, let registration, former != registration.owner.name { forgetIndexes() }
        slot.replace(registration)
    }

    /// Updates the lists whose members changed, each once.
    private func sortMembers(after exchanges: [(Slot, Registration?)], _ lists: Set<RegistrationKey>) {
        guard !lists.isEmpty else { return }
        let exchanged = Set(exchanges.map { ObjectIdentifier($0.0) })
        for list in lists { members[list]?.removeAll { exchanged.contains(ObjectIdentifier($0)) } }
        for (slot, registration) in exchanges {
            if let list = registration?.membership?.list { members[list, default: []].append(slot) }
        }
        for list in lists { members[list]?.sort(by: Self.precedes) }
    }

    private func dependents(of changed: [Slot]) -> [Slot] {
        var seen = Set(changed.map(ObjectIdentifier.init))
        var affected: [Slot] = []
        var waiting = changed
        while let slot = waiting.popLast() {
            for dependent in slot.dependents where seen.insert(ObjectIdentifier(dependent)).inserted {
                affected.append(dependent)
                waiting.append(dependent)
            }
        }
        return affected
    }

    /// The keys of values of some modules that looked up something that no module registers, and of those that hold
    /// such values: a module that is added may register it.
    public func valuesWithAbsence(in modules: Set<String>) -> ContainerChange {
        let slots = table.slots.filter { slot in
            guard let owner = slot.registration?.owner.name, modules.contains(owner) else { return false }
            return slot.edges.contains {
                $0.kind == .direct && $0.target.key.layer != .list && find($0.target.key) == nil
            }
        }
        let holders = dependents(of: slots).filter { $0.registration != nil }
        return ContainerChange(changed: [], affected: (slots + holders).map(\.key))
    }

    /// The lists that lose or gain a member, and those of the same names, which may be mismatched by it.
    private func lists(of exchanges: [(Slot, Registration?)]) -> Set<RegistrationKey> {
        var keys: Set<RegistrationKey> = []
        for (slot, registration) in exchanges {
            if let list = slot.registration?.membership?.list { keys.insert(list) }
            if let list = registration?.membership?.list { keys.insert(list) }
        }
        guard !keys.isEmpty else { return keys }
        let names = Set(keys.compactMap(\.label))
        let lists = table.slots.lazy.map(\.key).filter { key in
            key.layer == .list && key.label.map(names.contains) == true
        }
        return keys.union(lists)
    }

    func release(_ slots: [Slot]) {
        let slots = slots + dependents(of: slots)
        let released = held(by: slots)
        defer { withExtendedLifetime(released) {} }
        for slot in slots { slot.reset() }
    }

    /// Releases the holders of copies of a parent's values that a change here affects.
    func releaseAffectedCopies() {
        release(
            table.slots.filter { slot in
                guard slot.registration == nil, !slot.isOverride, !slot.dependents.isEmpty,
                    let inherited = parent?.find(slot.key)
                else { return false }
                return isAffected(inherited)
            })
    }

    private func adopt(_ next: Container) {
        let built = next.table.slots
        next.becomeTransparent()
        for slot in built
        where slot.registration != nil
            && (slot.box != nil || !slot.edges.isEmpty)
        {
            let own = self.slot(slot.key)
            guard own.registration === slot.registration, own.box == nil else { continue }
            own.adopt(slot)
            if allowsInlining { own.open() }
        }
        // Breaks the cycles of edges and the slots that they lead to.
        for slot in built { slot.reset() }
    }
}

/// The keys that a change of a container concerns.
@_spi(Host) public struct ContainerChange: Sendable {
    /// The keys whose registrations were added, removed or replaced.
    public let changed: [RegistrationKey]
    /// The keys of values that held one of those, and are built again on the next request.
    public private(set) var affected: [RegistrationKey]

    /// Adds the keys that another change affects.
    public mutating func add(_ other: ContainerChange) {
        let known = Set(affected)
        affected += other.affected.filter { !known.contains($0) }
    }
}
