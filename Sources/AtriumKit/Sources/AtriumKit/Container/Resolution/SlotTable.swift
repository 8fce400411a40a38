/// What one container has under each key: a registration that nobody has asked for yet, or a slot.
@MainActor
struct SlotTable {
    private var index = KeyIndex()
    private var places: [Place] = []

    private struct Place {
        /// What is registered, while there is no slot.
        var registration: Registration?
        /// The module that registered something last, while there is no slot.
        var formerOwner: String?
        var slot: Slot?
    }

    /// What is registered under `key`.
    func registration(_ key: RegistrationKey) -> Registration? {
        index.number(of: key).flatMap { registration(at: $0) }
    }

    /// What is registered under the key of `other`.
    func registration(like other: Registration) -> Registration? {
        let number = other.word == 0 ? index.number(of: other.key) : index.number(ofWord: other.word)
        return number.flatMap { registration(at: $0) }
    }

    private func registration(at number: Int) -> Registration? {
        if let slot = places[number].slot { return slot.registration }
        return places[number].registration
    }

    /// The slot of `key`; nil where nobody has asked for it.
    func slot(_ key: RegistrationKey) -> Slot? {
        index.number(of: key).flatMap { places[$0].slot }
    }

    /// The slot of `key`, made where `makes` says so, or else where something is registered.
    mutating func slot(_ key: RegistrationKey, in container: Container, makes: Bool) -> Slot? {
        guard let number = makes ? numberInserting(key) : index.number(of: key) else { return nil }
        return slot(at: number, key, in: container, makes: makes)
    }

    private mutating func slot(
        at number: Int, _ key: RegistrationKey, in container: Container, makes: Bool
    ) -> Slot? {
        if let slot = places[number].slot { return slot }
        let registration = places[number].registration
        guard makes || registration != nil else { return nil }
        let slot = Slot(key, in: container, registration, formerOwner: places[number].formerOwner)
        places[number] = Place(registration: nil, formerOwner: nil, slot: slot)
        return slot
    }

    private mutating func numberInserting(_ registration: Registration) -> Int {
        guard registration.word != 0 else { return numberInserting(registration.key) }
        let (number, isNew) = index.numberInserting(word: registration.word)
        if isNew { places.append(Place()) }
        return number
    }

    private mutating func numberInserting(_ key: RegistrationKey) -> Int {
        let (number, isNew) = index.numberInserting(key)
        if isNew { places.append(Place()) }
        return number
    }

    /// Registers something that nobody has asked for; false, and nothing done, where there is a slot.
    mutating func put(_ registration: Registration) -> Bool {
        let number = numberInserting(registration)
        guard places[number].slot == nil else { return false }
        places[number].registration = registration
        return true
    }

    /// Removes something that nobody has asked for; false, and nothing done, where there is a slot.
    mutating func take(_ registration: Registration) -> Bool {
        guard let number = index.number(of: registration.key) else { return true }
        guard places[number].slot == nil else { return false }
        guard places[number].registration === registration else { return true }
        places[number].registration = nil
        places[number].formerOwner = registration.owner.name
        return true
    }

    /// The slots that somebody has asked for, in no order that matters.
    var slots: [Slot] {
        var slots: [Slot] = []
        for place in places { if let slot = place.slot { slots.append(slot) } }
        return slots
    }

    /// Everything that is registered, in the order in which the keys were first seen.
    var registrations: [Registration] {
        var registrations: [Registration] = []
        for place in places {
            let registration = if let slot = place.slot { slot.registration } else { place.registration }
            if let registration { registrations.append(registration) }
        }
        return registrations
    }
}
