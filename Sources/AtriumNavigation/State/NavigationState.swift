/// The stack of places as a value.
///
/// Pure: ``applying(_:)`` says for each operation what the stack is then and which entries come, stay and go,
/// and the ``Coordinator`` carries that out.
package struct NavigationState: Codable, Hashable, Sendable {
    /// The entries from the first place entered to the current one; empty at the root.
    package private(set) var entries: [StackEntry] = []
    /// What ``Operation/back`` took off and ``Operation/forward`` puts back, the next one last.
    package private(set) var ahead: [StackEntry] = []
    /// The id of the next entry.
    package private(set) var nextID = 1
    /// A link that no module had when somebody wanted it; gone to when one has.
    package var pendingLink: String?

    /// The most entries that are kept for going forward.
    static let limitAhead = 50

    package init() {}

    /// What changes the stack.
    package enum Operation: Hashable, Sendable {
        /// Puts an entry on top.
        case push(StackEntry)
        /// Takes the top entry off; what was not presented can be returned to.
        case back
        /// Puts back what `back` took off last.
        case forward
        /// Takes off every entry above this one.
        case pop(to: StackEntry.ID)
        /// Takes every entry off.
        case root
        /// Puts an entry in the place of the top one.
        case replace(StackEntry)
        /// Makes these the whole stack; those that are on it already stay, unless they are presented.
        case replaceAll([StackEntry])
        /// Makes an entry the top one of those that are presented with it, without what is presented above.
        case bringToFront(StackEntry.ID)
        /// Puts an entry on top that is presented over the present one, for a slot.
        case present(StackEntry, slot: String?)
        /// Takes off what was presented last, with all above it.
        case dismiss
        /// Takes one entry out, with what is presented over it.
        case remove(StackEntry.ID)
    }

    /// Which entries an operation adds, leaves where they are or moves, and takes off.
    package struct Transition: Hashable, Sendable {
        package var created: [StackEntry] = []
        package var kept: ArraySlice<StackEntry> = []
        /// The top one first.
        package var destroyed: [StackEntry] = []
    }

    /// The state after an operation, and what that means for the entries; an operation that has nothing to do,
    /// as `back` at the root, changes nothing.
    package func applying(_ operation: Operation) -> (state: NavigationState, transition: Transition) {
        var next = self
        next.carryOut(operation)
        let before = Set(entries.map(\.id))
        let after = Set(next.entries.map(\.id))
        return (
            next,
            Transition(
                created: next.entries.filter { !before.contains($0.id) },
                kept: next.entries.filter { before.contains($0.id) }[...],
                destroyed: entries.filter { !after.contains($0.id) }.reversed())
        )
    }

    /// Carries out an operation.
    package mutating func apply(_ operation: Operation) -> Transition {
        switch operation {
        // Without looking at the whole stack, as these are what people do all day.
        case .push(let entry) where isNew(entry):
            carryOut(operation)
            return Transition(created: [entry], kept: entries.dropLast())
        case .back where !entries.isEmpty:
            let top = entries[entries.count - 1]
            carryOut(operation)
            return Transition(kept: entries[...], destroyed: [top])
        default:
            let (state, transition) = applying(operation)
            self = state
            return transition
        }
    }

    // MARK: - Operations

    private mutating func carryOut(_ operation: Operation) {
        switch operation {
        case .push(let entry):
            guard isNew(entry) else { return }
            append(entry)
        case .back:
            guard let entry = entries.popLast() else { return }
            if entry.presentation == nil { keepAhead(entry) } else { ahead = [] }
        case .forward:
            guard let entry = ahead.popLast() else { return }
            entries.append(entry)
        case .pop(let id):
            guard let index = index(of: id), index < entries.count - 1 else { return }
            entries.removeSubrange((index + 1)...)
            ahead = []
        case .root:
            guard !entries.isEmpty else { return }
            entries = []
            ahead = []
        case .replace(var entry):
            guard isNew(entry) else { return }
            entry.presentation = entries.popLast()?.presentation ?? entry.presentation
            append(entry)
        case .replaceAll(let entries):
            replaceAll(entries)
        case .bringToFront(let id):
            bringToFront(id)
        case .present(var entry, let slot):
            guard isNew(entry) else { return }
            entry.presentation = StackEntry.Presentation(presenter: entries.last?.id, slot: slot)
            append(entry)
        case .dismiss:
            guard let index = entries.lastIndex(where: { $0.presentation != nil }) else { return }
            entries.removeSubrange(index...)
            ahead = []
        case .remove(let id):
            remove(id)
        }
    }

    private mutating func append(_ entry: StackEntry) {
        entries.append(entry)
        if !ahead.isEmpty { ahead = [] }
        nextID = max(nextID, entry.id + 1)
    }

    private mutating func keepAhead(_ entry: StackEntry) {
        if ahead.count >= Self.limitAhead { ahead.removeFirst() }
        ahead.append(entry)
    }

    private mutating func replaceAll(_ newEntries: [StackEntry]) {
        var result: [StackEntry] = []
        for entry in newEntries where !result.contains(where: { $0.id == entry.id }) {
            if let index = index(of: entry.id) {
                if entries[index].presentation == nil { result.append(entries[index]) }
            } else if isNew(entry) {
                result.append(entry)
                nextID = max(nextID, entry.id + 1)
            }
        }
        entries = result
        ahead = []
    }

    private mutating func bringToFront(_ id: StackEntry.ID) {
        guard let index = index(of: id), index < entries.count - 1 else { return }
        // What is presented above goes; the entry that carries a presentation stays where that begins.
        if let above = entries[(index + 1)...].firstIndex(where: { $0.presentation != nil }) {
            entries.removeSubrange(above...)
        }
        if index < entries.count - 1, entries[index].presentation == nil {
            entries.append(entries.remove(at: index))
        } else {
            entries.removeSubrange((index + 1)...)
        }
        ahead = []
    }

    private mutating func remove(_ id: StackEntry.ID) {
        guard let index = index(of: id) else { return }
        if entries[index].presentation != nil {
            entries.removeSubrange(index...)
        } else {
            if index + 1 < entries.count, entries[index + 1].presentation != nil {
                entries.removeSubrange((index + 1)...)
            }
            entries.remove(at: index)
        }
        ahead = []
    }

    private func index(of id: StackEntry.ID) -> Int? {
        entries.lastIndex { $0.id == id }
    }

    /// Whether the entry's id was never used, so that it can't be mistaken for another.
    private func isNew(_ entry: StackEntry) -> Bool {
        entry.id >= nextID
    }

    // MARK: - Entries

    /// Changes what is kept with an entry, here or ahead.
    mutating func update(_ id: StackEntry.ID, _ change: (inout StackEntry) -> Void) {
        if let index = index(of: id) {
            change(&entries[index])
        } else if let index = ahead.lastIndex(where: { $0.id == id }) {
            change(&ahead[index])
        }
    }

    /// Changes every entry, here and ahead; one for which nil is given is taken out.
    mutating func updateAll(_ change: (StackEntry) -> StackEntry?) {
        entries = entries.compactMap(change)
        ahead = ahead.compactMap(change)
    }

    // MARK: - Codable

    /// Reads a stack that was kept.
    ///
    /// - Throws: `DecodingError` where the ids of its entries can't be those of a stack.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        entries = try container.decode([StackEntry].self, forKey: .entries)
        ahead = try container.decodeIfPresent([StackEntry].self, forKey: .ahead) ?? []
        nextID = try container.decode(Int.self, forKey: .nextID)
        pendingLink = try container.decodeIfPresent(String.self, forKey: .pendingLink)
        let ids = (entries + ahead).map(\.id)
        let arePossible = ids.allSatisfy { $0 > 0 && $0 < nextID } && Set(ids).count == ids.count
        guard arePossible, nextID > 0, nextID < 1 << 53 else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: container.codingPath, debugDescription: "The ids of the entries are damaged.")
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entries, forKey: .entries)
        if !ahead.isEmpty { try container.encode(ahead, forKey: .ahead) }
        try container.encode(nextID, forKey: .nextID)
        try container.encodeIfPresent(pendingLink, forKey: .pendingLink)
    }

    private enum CodingKeys: CodingKey {
        case entries, ahead, nextID, pendingLink
    }
}
