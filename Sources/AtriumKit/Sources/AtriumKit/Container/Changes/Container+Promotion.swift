extension Container {
    /// Hands a shared value that was built in a past state to the present one, where nothing that has changed
    /// since makes a difference to it: there is one shared value, whichever state asked for it first.
    ///
    /// - Returns: Whether it is the present state's value now.
    @discardableResult
    func promote(_ slot: Slot) -> Bool {
        guard isSnapshot, !isTransparent, !slot.isOverride, slot.box != nil else { return false }
        let present = root.slot(slot.key)
        guard present.registration === slot.registration, present.box == nil, !isPast(slot) else {
            return false
        }
        present.adopt(slot)
        if root.allowsInlining { present.open() }
        return true
    }

    /// Whether a value that was built here holds something that has changed since.
    private func isPast(_ slot: Slot) -> Bool {
        var seen: Set<ObjectIdentifier> = []
        return leadsToPast(slot, &seen)
    }

    private func leadsToPast(_ slot: Slot, _ seen: inout Set<ObjectIdentifier>) -> Bool {
        guard seen.insert(ObjectIdentifier(slot)).inserted else { return false }
        for edge in slot.edges where edge.kind.holds {
            if hasChanged(edge.target.key) || leadsToPast(edge.target, &seen) { return true }
            // What the past state took from the present one has its edges there.
            if leadsToPast(root.slot(edge.target.key), &seen) { return true }
        }
        return false
    }

    /// Whether a state between this one and the present one is different in `key`.
    private func hasChanged(_ key: RegistrationKey) -> Bool {
        guard let parent else { return false }
        return table.slot(key)?.isOverride == true || members[key] != nil || parent.hasChanged(key)
    }
}
