/// Which values of a parent container something in a child makes a difference to.
struct AffectedSlots {
    private var isAffected: [ObjectIdentifier: Bool] = [:]
    private var versions = (graph: -1, registrations: -1)

    subscript(slot: Slot) -> Bool? {
        get { isAffected[ObjectIdentifier(slot)] }
        set { isAffected[ObjectIdentifier(slot)] = newValue }
    }

    /// Forgets what was found in another state.
    mutating func use(graph: Int, registrations: Int) {
        guard versions != (graph, registrations) else { return }
        versions = (graph, registrations)
        isAffected = [:]
    }
}

extension Container {
    /// Whether the value of a parent's slot holds, through any number of others, something that is different
    /// here.
    func isAffected(_ slot: Slot) -> Bool {
        affected.use(graph: root.graphVersion, registrations: version)
        if let known = affected[slot] { return known }
        affected[slot] = false
        let isAffected = slot.edges.contains { edge in
            edge.kind.holds && (isDifferent(edge.target.key) || self.isAffected(edge.target))
        }
        affected[slot] = isAffected
        return isAffected
    }

    private func isDifferent(_ key: RegistrationKey) -> Bool {
        table.slot(key)?.isOverride == true || members[key] != nil
    }
}
