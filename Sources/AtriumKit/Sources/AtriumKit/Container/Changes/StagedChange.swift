/// A next state of a container, prepared aside and published in one step.
///
/// Until it is published, nobody sees anything of it; when it is discarded, nothing has happened.
@MainActor
@_spi(Host) public final class StagedChange {
    /// The next state: what is resolved here is built with it, and handed over when it is published.
    public let next: Container
    private let current: Container
    private let version: Int
    private var retired: [ModuleScope] = []
    private var isOver = false

    public init(of container: Container) {
        current = container
        version = container.version
        next = Container(parent: container)
    }

    /// Adds what a module registered, all of it or nothing.
    ///
    /// - Throws: ``RegistrationError`` for the first key that another module provides already.
    public func add(_ registry: ModuleRegistry) throws {
        if let finding = registry.findings.first { throw finding }
        for registration in registry.registrations {
            if let present = next.registration(registration.key) {
                throw RegistrationError.duplicate(
                    registration.key, module: registration.owner.name, presentModule: present.owner.name)
            }
        }
        for registration in registry.registrations { next.override(registration, for: registration.key) }
        next.letGoOfInherited()
    }

    /// Removes what `module` registered.
    public func remove(_ module: ModuleScope) {
        for registration in current.owned[ObjectIdentifier(module)] ?? [] {
            next.override(nil, for: registration.key)
        }
        retired.append(module)
        next.letGoOfInherited()
    }

    /// What publishing would change and let go.
    public var plan: ContainerChange {
        let changed = next.table.slots.filter(\.isOverride).map(\.key)
        let affected = current.table.slots.filter { slot in
            slot.registration != nil && next.table.slot(slot.key)?.isOverride != true && next.isAffected(slot)
        }
        return ContainerChange(changed: changed, affected: affected.map(\.key))
    }

    /// Builds the shared values of the next state that the present one has built and the change affects.
    ///
    /// - Throws: ``ResolutionError`` of the first that can't be built; the present state is as it was.
    public func rebuild() async throws {
        let wanted = current.table.slots.filter { slot in
            slot.box != nil && (next.table.slot(slot.key)?.isOverride == true || next.isAffected(slot))
        }
        for old in wanted {
            guard let slot = next.find(old.key), slot !== old, slot.box == nil,
                let registration = slot.registration, registration.lifetime == .shared
            else { continue }
            try await registration.build(slot, for: Request(container: next, scope: nil))
        }
    }

    /// Makes the next state the present one.
    ///
    /// - Throws: ``RegistrationError`` with code `outdated` where the present state has changed since the
    ///   change was begun; it is then as it was.
    @discardableResult
    public func publish() throws -> ContainerChange {
        guard !isOver, version == current.version else { throw RegistrationError.outdated() }
        isOver = true
        let exchanges = next.table.slots.filter(\.isOverride).map { (current.slot($0.key), $0.registration) }
        dropConflicts()
        for case (_, let registration?) in exchanges {
            current.owned[ObjectIdentifier(registration.owner), default: []].append(registration)
        }
        return current.exchange(exchanges, retiring: retired, adopting: next)
    }

    /// Gives the next state up.
    public func discard() {
        isOver = true
        next.close()
    }

    /// Lets go of what the next state built of a value that the present one has built meanwhile: there is
    /// one shared value, so what holds the other is built anew when it is next wanted.
    private func dropConflicts() {
        let conflicts = next.table.slots.filter { slot in
            guard !slot.isOverride, slot.box != nil, let present = current.table.slot(slot.key) else {
                return false
            }
            return present.box != nil && !next.isAffected(present)
        }
        next.letGo(conflicts)
    }
}
