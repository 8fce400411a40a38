extension Container {
    /// Returns the current state; providers of a retired generation resolve in it as long as it is retained.
    public func hold() -> Container {
        if let snapshot { return snapshot }
        let snapshot = Container(parent: self, isSnapshot: true)
        self.snapshot = snapshot
        return snapshot
    }

    /// Keeps `slots`, which are about to change, for the work that began in the current state.
    func preserve(_ slots: [Slot]) {
        guard let snapshot else { return }
        let successor = Container(parent: self, isSnapshot: true)
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
    }

    /// Moves a shared value that was built in a past state to the current one, unless a change affects it.
    func promote(_ slot: Slot) {
        guard isSnapshot, !isTransparent, !slot.isOverride, slot.box != nil else { return }
        let present = root.slot(slot.key)
        guard present.registration === slot.registration, present.box == nil, !isOutdated(slot) else {
            return
        }
        present.adopt(slot)
        if root.allowsInlining { present.open() }
    }

    private func isOutdated(_ slot: Slot) -> Bool {
        var seen: Set<ObjectIdentifier> = []
        return leadsToOutdated(slot, &seen)
    }

    private func leadsToOutdated(_ slot: Slot, _ seen: inout Set<ObjectIdentifier>) -> Bool {
        guard seen.insert(ObjectIdentifier(slot)).inserted else { return false }
        for edge in slot.edges where edge.kind.holds {
            if hasChanged(edge.target.key) || leadsToOutdated(edge.target, &seen) { return true }
            // A value that the past state took from the current one has its edges there.
            if leadsToOutdated(root.slot(edge.target.key), &seen) { return true }
        }
        return false
    }

    /// True if a state between this one and the current one differs in `key`.
    private func hasChanged(_ key: RegistrationKey) -> Bool {
        guard let parent else { return false }
        return isDifferent(key) || parent.hasChanged(key)
    }
}
