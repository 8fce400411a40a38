/// The contents of a container by key: a registration that was never resolved, or a slot.
@MainActor
struct SlotTable {
    private var index = KeyIndex()
    private var entries: [Entry] = []

    private struct Entry {
        var registration: Registration?
        var formerOwner: String?
        var slot: Slot?
    }

    func registration(_ key: RegistrationKey) -> Registration? {
        guard let number = index.number(of: key) else { return nil }
        if let slot = entries[number].slot { return slot.registration }
        return entries[number].registration
    }

    func slot(_ key: RegistrationKey) -> Slot? {
        index.number(of: key).flatMap { entries[$0].slot }
    }

    mutating func slot(_ key: RegistrationKey, in container: Container) -> Slot {
        let number = numberInserting(key)
        return entries[number].slot ?? makeSlot(at: number, key, in: container)
    }

    /// The slot of `key`, created on first use if something is registered.
    mutating func registeredSlot(_ key: RegistrationKey, in container: Container) -> Slot? {
        guard let number = index.number(of: key) else { return nil }
        if let slot = entries[number].slot { return slot }
        return entries[number].registration == nil ? nil : makeSlot(at: number, key, in: container)
    }

    private mutating func makeSlot(at number: Int, _ key: RegistrationKey, in container: Container) -> Slot {
        let entry = entries[number]
        let slot = Slot(key, in: container, entry.registration, formerOwner: entry.formerOwner)
        entries[number] = Entry(slot: slot)
        return slot
    }

    private mutating func numberInserting(_ key: RegistrationKey) -> Int {
        let (number, isNew) = index.numberInserting(key)
        if isNew { entries.append(Entry()) }
        return number
    }

    /// Registers something that was never resolved; returns false and does nothing if there is a slot.
    mutating func put(_ registration: Registration) -> Bool {
        let number = numberInserting(registration.key)
        guard entries[number].slot == nil else { return false }
        entries[number].registration = registration
        return true
    }

    /// Removes something that was never resolved; returns false and does nothing if there is a slot.
    mutating func take(_ registration: Registration) -> Bool {
        guard let number = index.number(of: registration.key) else { return true }
        guard entries[number].slot == nil else { return false }
        guard entries[number].registration === registration else { return true }
        entries[number].registration = nil
        entries[number].formerOwner = registration.owner.name
        return true
    }

    var slots: [Slot] {
        var slots: [Slot] = []
        for entry in entries { if let slot = entry.slot { slots.append(slot) } }
        return slots
    }

    var registrations: [Registration] {
        var registrations: [Registration] = []
        for entry in entries {
            let registration = if let slot = entry.slot { slot.registration } else { entry.registration }
            if let registration { registrations.append(registration) }
        }
        return registrations
    }
}
