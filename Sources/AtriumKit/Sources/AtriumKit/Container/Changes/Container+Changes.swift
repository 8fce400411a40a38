extension Container {
    /// Adds what a module registered, all of it or nothing.
    ///
    /// - Throws: ``RegistrationError`` for the first key that another module provides already, or that the
    ///   module registers twice.
    @discardableResult
    public func add(_ registry: ModuleRegistry) throws -> ContainerChange {
        if let finding = registry.findings.first { throw finding }
        let registrations = registry.registrations
        for added in registrations {
            let isRoot = parent == nil
            guard let present = isRoot ? table.registration(like: added) : registration(added.key) else {
                continue
            }
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

    /// Removes what `module` registered, for good, and lets go of what was built of it or held it.
    @discardableResult
    public func remove(_ module: ModuleScope) -> ContainerChange {
        let registrations = owned[ObjectIdentifier(module)] ?? []
        var exchanges: [(Slot, Registration?)] = []
        for registration in registrations where !take(registration) {
            let slot = slot(registration.key)
            if slot.registration === registration { exchanges.append((slot, nil)) }
        }
        return exchange(exchanges, of: registrations, retiring: [module])
    }

    /// Whether nobody can have asked for what is registered or not under a key without a slot, so that
    /// nothing depends on it.
    private func isUnseen(_ registration: Registration) -> Bool {
        parent == nil && snapshot == nil && registration.membership == nil
    }

    private func put(_ registration: Registration) -> Bool {
        isUnseen(registration) && table.put(registration)
    }

    private func take(_ registration: Registration) -> Bool {
        isUnseen(registration) && table.take(registration)
    }

    /// Replaces what is registered under `key` in this child container.
    func override(_ registration: Registration?, for key: RegistrationKey) {
        let slot = slot(key)
        slot.isOverride = true
        _ = exchange([(slot, registration)], retiring: [])
    }

    /// Exchanges registrations in one step; what held what they built is let go, and nothing else.
    ///
    /// - Parameters:
    ///   - exchanges: Slots of this container, each with what is registered there next.
    ///   - registrations: Everything that comes or goes, also where it has no slot; what the slots lose and
    ///     get, unless given.
    ///   - retired: The generations that leave for good.
    ///   - next: What was built of the next state, aside.
    /// - Returns: What is registered differently, and what was let go because of it.
    func exchange(
        _ exchanges: [(Slot, Registration?)], of registrations: [Registration]? = nil,
        retiring retired: [ModuleScope], adopting next: Container? = nil
    ) -> ContainerChange {
        let past = snapshot
        let changed = exchanges.map(\.0)
        let affected = changed.isEmpty ? [] : dependents(of: changed + lists(of: exchanges))
        preserve(changed + affected)
        // Released at the end: what goes may ask for something as it goes, and has to find the next state.
        let released = held(by: changed + affected)
        defer { withExtendedLifetime(released) {} }
        for slot in affected { slot.reset() }
        for (slot, registration) in exchanges { exchange(slot, registration) }
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
        if let list = slot.registration?.membership?.list { members[list]?.removeAll { $0 === slot } }
        let former = slot.registration?.owner.name ?? slot.formerOwner
        if let former, let registration, former != registration.owner.name { forgetIndexes() }
        slot.replace(registration)
        guard let list = registration?.membership?.list else { return }
        members[list, default: []].append(slot)
        members[list]?.sort(by: Self.precedes)
    }

    /// The slots of this container that hold, through any number of others, what `changed` built.
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

    /// The slots of the lists that get or lose an element.
    private func lists(of exchanges: [(Slot, Registration?)]) -> [Slot] {
        var keys: Set<RegistrationKey> = []
        for (slot, registration) in exchanges {
            if let list = slot.registration?.membership?.list { keys.insert(list) }
            if let list = registration?.membership?.list { keys.insert(list) }
        }
        return keys.compactMap { table.slot($0) }
    }

    /// Lets go of what was built in `slots`, and of what holds it.
    func letGo(_ slots: [Slot]) {
        let slots = slots + dependents(of: slots)
        let released = held(by: slots)
        defer { withExtendedLifetime(released) {} }
        for slot in slots { slot.reset() }
    }

    /// Lets go of what was built here of the parent's values that a change here makes a difference to.
    func letGoOfInherited() {
        letGo(
            table.slots.filter { slot in
                guard slot.registration == nil, !slot.isOverride, !slot.dependents.isEmpty,
                    let inherited = parent?.find(slot.key)
                else { return false }
                return isAffected(inherited)
            })
    }

    /// Keeps the present state for the awaited builds that began in it.
    private func preserve(_ slots: [Slot]) {
        guard let snapshot else { return }
        let successor = Container(snapshotOf: self)
        snapshot.parent = successor
        snapshot.isTransparent = false
        self.snapshot = successor
        for slot in slots {
            let kept = snapshot.slot(slot.key)
            guard !kept.isOverride else { continue }
            kept.isOverride = true
            kept.preserve(slot)
            if let list = kept.registration?.membership?.list {
                snapshot.members[list, default: []].append(kept)
            }
        }
        // A build that is under way may yet ask for what has changed: it is known when it ends which state
        // its value belongs to.
        for slot in table.slots where slot.flight != nil {
            let kept = snapshot.slot(slot.key)
            if !kept.isOverride { kept.preserve(slot) }
        }
    }

    /// Takes over what was built in `next`, which becomes a view of this container.
    private func adopt(_ next: Container) {
        let built = next.table.slots
        if next.isAwaited { next.moveRunning(to: pinned) }
        next.becomeTransparent()
        for slot in built
        where slot.registration != nil
            && (slot.box != nil || slot.flight != nil || !slot.edges.isEmpty)
        {
            let own = self.slot(slot.key)
            guard own.registration === slot.registration, own.box == nil else { continue }
            own.adopt(slot)
            if own.flight == nil, let flight = slot.flight {
                own.flight = flight
                flight.slot = own
            }
            if allowsInlining { own.open() }
        }
        // Edges and the slots that they lead to hold each other.
        for slot in built { slot.reset() }
    }
}

/// What a change of the container comes to.
@_spi(Host) public struct ContainerChange: Sendable {
    /// What is registered differently.
    public let changed: [RegistrationKey]
    /// What held something of that, and is built anew when it is next wanted.
    public let affected: [RegistrationKey]
}
