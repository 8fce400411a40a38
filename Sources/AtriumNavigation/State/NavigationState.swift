package import AtriumKit

/// The stack of screens as a value.
///
/// ``applying(_:)`` computes the stack after an operation and the entries that come and leave; the
/// ``Coordinator`` builds and releases their screens.
package struct NavigationState: Codable, Hashable, Sendable {
    /// The entries from the bottom to the current one; empty at the root.
    package private(set) var entries: [StackEntry] = []
    /// The entries that ``Operation/back`` removed, for ``Operation/forward``; the next one last.
    package private(set) var ahead: [StackEntry] = []
    package private(set) var nextID = 1
    /// The links that no module had when they were opened, the newest last.
    package private(set) var waitingLinks: [WaitingLink] = []

    /// The most entries on the stack; every save encodes and writes all of them.
    package static let capacity = 2_000
    /// The most entries in ``ahead``.
    static let limitAhead = 50
    /// The most ``waitingLinks``; older ones are dropped.
    static let limitWaiting = 8

    /// A link that is announced once a module has it.
    package struct WaitingLink: Codable, Hashable, Sendable {
        package let link: String
        package let since: Timestamp

        /// In seconds; older links are dropped.
        static let lifetime = 7 * 86_400
    }

    package init() {}

    package enum Operation: Hashable, Sendable {
        case push(StackEntry)
        /// Removes the top entry; `forward` can bring it back unless it was presented.
        case back
        /// Brings back the entry that `back` removed last.
        case forward
        /// Removes every entry above this one.
        case pop(to: StackEntry.ID)
        case root
        case replace(StackEntry)
        /// Makes these the whole stack; entries that are on it stay, unless they are presented.
        case replaceAll([StackEntry])
        /// Moves an entry to the top of its presentation, and removes what is presented above.
        case bringToFront(StackEntry.ID)
        /// Presents an entry over the top one; its result goes to the slot.
        case present(StackEntry, slot: String?)
        /// Removes the entry presented last and all above it.
        case dismiss
        /// Removes one entry and what is presented over it.
        case remove(StackEntry.ID)
        /// Removes one entry; what is above it stays.
        case drop(StackEntry.ID)
    }

    /// The entries that an operation adds and removes.
    package struct Transition: Hashable, Sendable {
        package var created: [StackEntry] = []
        /// The top one first.
        package var destroyed: [StackEntry] = []

        var isEmpty: Bool { created.isEmpty && destroyed.isEmpty }
    }

    /// Returns the state after an operation; an operation without effect, such as `back` at the root, changes
    /// nothing.
    package func applying(_ operation: Operation) -> (state: NavigationState, transition: Transition) {
        var next = self
        next.perform(operation)
        let before = Set(entries.map(\.id))
        let after = Set(next.entries.map(\.id))
        let transition = Transition(
            created: next.entries.filter { !before.contains($0.id) },
            destroyed: entries.filter { !after.contains($0.id) }.reversed())
        return (next, transition)
    }

    package mutating func apply(_ operation: Operation) -> Transition {
        switch operation {
        // The fast paths of the most frequent operations: they don't compare the whole stack.
        case .push(let entry) where isNew(entry):
            perform(operation)
            return Transition(created: [entry])
        case .back where !entries.isEmpty:
            let top = entries[entries.count - 1]
            perform(operation)
            return Transition(destroyed: [top])
        default:
            let (state, transition) = applying(operation)
            self = state
            return transition
        }
    }

    // MARK: - Operations

    private mutating func perform(_ operation: Operation) {
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
        case .drop(let id):
            entries.removeAll { $0.id == id }
        }
    }

    private mutating func append(_ entry: StackEntry) {
        entries.append(entry)
        if !ahead.isEmpty { ahead = [] }
        nextID = max(nextID, entry.id.addingClamped(1))
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
                nextID = max(nextID, entry.id.addingClamped(1))
            }
        }
        entries = result
        ahead = []
    }

    private mutating func bringToFront(_ id: StackEntry.ID) {
        guard let index = index(of: id), index < entries.count - 1 else { return }
        // The entry that begins a presentation stays at its bottom.
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
        // By index, because a closure would get a copy of each entry.
        entries.indices.last { entries[$0].id == id }
    }

    /// True if the entry's id was never used.
    private func isNew(_ entry: StackEntry) -> Bool { entry.id >= nextID }

    // MARK: - Entries

    mutating func update(_ id: StackEntry.ID, _ change: (inout StackEntry) -> Void) {
        if let index = index(of: id) {
            change(&entries[index])
        } else if let index = ahead.indices.last(where: { ahead[$0].id == id }) {
            change(&ahead[index])
        }
    }

    mutating func updateAll(_ change: (StackEntry) -> StackEntry) {
        entries = entries.map(change)
        ahead = ahead.map(change)
    }

    /// Removes entries without other effects, as from a copy to be saved.
    mutating func removeAll(where isRemoved: (StackEntry) -> Bool) {
        entries.removeAll(where: isRemoved)
        ahead.removeAll(where: isRemoved)
    }

    // MARK: - Waiting links

    mutating func wait(for link: String, now: Timestamp) {
        drop(link)
        waitingLinks = waitingLinks.suffix(Self.limitWaiting - 1) + [WaitingLink(link: link, since: now)]
    }

    /// Drops a waiting link, and returns whether there was one.
    @discardableResult
    mutating func drop(_ link: String) -> Bool {
        guard let index = waitingLinks.firstIndex(where: { $0.link == link }) else { return false }
        waitingLinks.remove(at: index)
        return true
    }

    mutating func dropWaitingLinks(olderThan time: Timestamp) {
        waitingLinks.removeAll { $0.since < time }
    }

    // MARK: - Codable

    /// - Throws: `DecodingError`, also if the ids of the entries are not valid for a stack.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        entries = try container.decode([StackEntry].self, forKey: .entries)
        ahead = try container.decodeIfPresent([StackEntry].self, forKey: .ahead) ?? []
        nextID = try container.decode(Int.self, forKey: .nextID)
        waitingLinks = try container.decodeIfPresent([WaitingLink].self, forKey: .waitingLinks) ?? []
        guard nextID > 0, nextID < 1 << 53 else {
            throw DecodingError.dataCorruptedError(
                forKey: .nextID, in: container, debugDescription: "The id is out of range.")
        }
        let ids = (entries + ahead).map(\.id)
        guard ids.allSatisfy({ $0 > 0 && $0 < nextID }), Set(ids).count == ids.count else {
            throw DecodingError.dataCorruptedError(
                forKey: .entries, in: container, debugDescription: "The ids of the entries are inconsistent.")
        }
    }
}
