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
        var path: [Slot] = []
        var seen: [ObjectIdentifier: Slot] = [:]
        let isAffected = leadsToChange(slot, &seen, &path)
        // A slot that was only passed on the way may lead to the change over one that was not finished.
        for slot in isAffected ? path : Array(seen.values) { affected[slot] = isAffected }
        return isAffected
    }

    private func leadsToChange(_ slot: Slot, _ seen: inout [ObjectIdentifier: Slot], _ path: inout [Slot])
        -> Bool
    {
        if let known = affected[slot] { return known }
        guard seen.updateValue(slot, forKey: ObjectIdentifier(slot)) == nil else { return false }
        for edge in slot.edges where edge.kind.holds {
            guard isDifferent(edge.target.key) || leadsToChange(edge.target, &seen, &path) else { continue }
            path.append(slot)
            return true
        }
        return false
    }

    private func isDifferent(_ key: RegistrationKey) -> Bool {
        table.slot(key)?.isOverride == true || members[key] != nil
    }
}
