/// A cache of which values of a parent container a child's changes affect.
struct AffectedSlots {
    private var isAffected: [ObjectIdentifier: Bool] = [:]
    private var versions = (graph: -1, registrations: -1)

    subscript(slot: Slot) -> Bool? {
        get { isAffected[ObjectIdentifier(slot)] }
        set { isAffected[ObjectIdentifier(slot)] = newValue }
    }

    mutating func use(graph: Int, registrations: Int) {
        guard versions != (graph, registrations) else { return }
        versions = (graph, registrations)
        isAffected = [:]
    }
}

extension Container {
    /// True if the value of a parent's slot holds something that differs here, directly or through others.
    func isAffected(_ slot: Slot) -> Bool {
        affected.use(graph: root.graphVersion, registrations: version)
        if let known = affected[slot] { return known }
        var path: [Slot] = []
        var seen: [ObjectIdentifier: Slot] = [:]
        let isAffected = leadsToChange(slot, &seen, &path)
        // Without a change, every visited slot is unaffected; with one, only the path to it is known.
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

    func isDifferent(_ key: RegistrationKey) -> Bool {
        table.slot(key)?.isOverride == true || members[key] != nil
    }
}
