/// The next state of a container: invisible until it is published in one step.
@MainActor
@_spi(Host) public final class StagedChange {
    /// The next state; values resolved here are adopted by ``publish()``.
    public let next: Container
    private let current: Container
    private let version: Int
    private var retired: [ModuleScope] = []
    private var added: [[Registration]] = []
    private var presences: [ObjectIdentifier: (registry: ModuleRegistry, modules: Set<String>)] = [:]
    private var isOver = false
    private var isInPlace: Bool { next === current }

    /// Begins a change; in place if there is nothing to keep, and nothing resolves meanwhile.
    public init(of container: Container, inPlace: Bool = false) {
        current = container
        version = container.version
        next = inPlace ? container : Container(parent: container)
    }

    /// Adds everything that a module registered, or nothing: throws ``RegistrationError`` for a key in use.
    public func add(_ registry: ModuleRegistry) throws {
        if let finding = registry.findings.first { throw finding }
        try add(registry.registrations)
    }

    private func add(_ registrations: [Registration]) throws {
        if isInPlace {
            _ = try current.add(registrations)
            added.append(registrations)
            return try checkPoints(of: registrations)
        }
        for registration in registrations {
            if let present = next.registration(registration.key) {
                throw RegistrationError.duplicate(
                    registration.key, module: registration.owner.name, presentModule: present.owner.name)
            }
        }
        next.override(registrations.map { ($0.key, $0) })
        next.releaseAffectedCopies()
        added.append(registrations)
    }

    /// Adds and removes the registrations of a module that are bound to others, `modules` of which are present.
    public func setPresent(_ modules: Set<String>, for registry: ModuleRegistry) throws {
        let key = ObjectIdentifier(registry)
        let before = registry.registrations(with: presences[key]?.modules ?? registry.present)
        let after = registry.registrations(with: modules)
        let leaving = before.filter { former in !after.contains { $0 === former } }
        if isInPlace {
            _ = current.remove(leaving)
            registry.present = modules
        } else {
            next.override(leaving.map { ($0.key, nil) })
            next.releaseAffectedCopies()
            presences[key] = (registry, modules)
        }
        try add(after.filter { next in !before.contains { $0 === next } })
    }

    /// - Throws: ``ResolutionError`` if a module gives a contribution point another type of element than others do.
    private func checkPoints(of registrations: [Registration]) throws {
        for registration in registrations {
            guard let list = registration.membership?.list, let other = next.namesakes(of: list).first
            else { continue }
            throw ResolutionError.otherElement(list, registration.owner, other)
        }
    }

    /// Removes a module's registrations, including those of this change.
    public func remove(_ module: ModuleScope) {
        if isInPlace {
            current.remove(module)
            return
        }
        let staged = next.table.slots.filter(\.isOverride).compactMap(\.registration)
        let registrations =
            (current.owned[ObjectIdentifier(module)] ?? []) + staged.filter { $0.owner === module }
        next.override(registrations.map { ($0.key, nil) })
        retired.append(module)
        next.releaseAffectedCopies()
    }

    /// The keys that publishing would change, and the values that it would affect.
    public var plan: ContainerChange {
        let changed = next.table.slots.filter(\.isOverride).map(\.key)
        let affected = current.table.slots.filter { slot in
            slot.registration != nil && next.table.slot(slot.key)?.isOverride != true && next.isAffected(slot)
        }
        return ContainerChange(changed: changed, affected: affected.map(\.key))
    }

    /// Builds, in the next state, the current shared values that the change affects.
    public func rebuild() throws {
        if isInPlace { return }
        let outdated = current.table.slots.filter { slot in
            slot.box != nil && (next.table.slot(slot.key)?.isOverride == true || next.isAffected(slot))
        }
        for old in outdated {
            guard let slot = next.find(old.key), slot !== old, slot.box == nil,
                let registration = slot.registration, registration.lifetime == .shared
            else { continue }
            try registration.build(slot, for: Request(container: next, scope: nil))
        }
    }

    /// Makes the next state the current one.
    ///
    /// - Throws: ``RegistrationError`` with code `outdated`, and changes nothing, if the current state has changed
    ///   meanwhile; ``ResolutionError`` if a contribution point has several types of element; the error of
    ///   `commit`, the last step that may fail.
    @discardableResult
    public func publish(after commit: () throws -> Void = {}) throws -> ContainerChange {
        if !isInPlace {
            guard !isOver, version == current.version else { throw RegistrationError.outdated() }
            try added.forEach(checkPoints)
        }
        try commit()
        if isInPlace { return ContainerChange(changed: [], affected: []) }
        isOver = true
        let exchanges = next.table.slots.filter(\.isOverride).map { (current.slot($0.key), $0.registration) }
        dropConflicts()
        for (slot, registration) in exchanges {
            if let registration {
                current.owned[ObjectIdentifier(registration.owner), default: []].append(registration)
            } else if let former = slot.registration {
                current.disown(former)
            }
        }
        for (registry, modules) in presences.values { registry.present = modules }
        return current.exchange(exchanges, retiring: retired, adopting: next)
    }

    /// Drops the change; in place, removes the registrations that it added.
    public func discard() {
        isOver = true
        if isInPlace { return added.compactMap(\.first?.owner).forEach { current.remove($0) } }
        next.close()
    }

    /// Releases the next state's copies of values that the current one has built meanwhile: a shared value
    /// exists once, and holders of another are built again.
    private func dropConflicts() {
        let conflicts = next.table.slots.filter { slot in
            guard !slot.isOverride, slot.box != nil, let present = current.table.slot(slot.key) else {
                return false
            }
            return present.box != nil && !next.isAffected(present)
        }
        next.release(conflicts)
    }
}
