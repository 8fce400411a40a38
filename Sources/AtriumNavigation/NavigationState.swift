/// The stack of places as a value, and the operations on it.
///
/// Pure: an operation says which entries come and go, and the ``Coordinator`` carries that out.
package struct NavigationState: Codable, Hashable, Sendable {
    /// The entries from the first place entered to the current one; empty at the root.
    package private(set) var entries: [StackEntry] = []
    /// The id of the next entry.
    package private(set) var nextID = 1

    package init() {}

    /// Reads a stack that was kept.
    ///
    /// - Throws: `DecodingError` where the ids of its entries can't be those of a stack.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        entries = try container.decode([StackEntry].self, forKey: .entries)
        nextID = try container.decode(Int.self, forKey: .nextID)
        let ids = entries.map(\.id)
        let arePossible = ids.allSatisfy { $0 > 0 && $0 < nextID } && Set(ids).count == ids.count
        guard arePossible, nextID > 0, nextID < 1 << 53 else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: container.codingPath, debugDescription: "The ids of the entries are damaged.")
            )
        }
    }

    /// What a person asks of the stack.
    package enum Operation: Hashable, Sendable {
        /// Puts an entry on top.
        case push(StackEntry)
        /// Takes the top entry off.
        case back
        /// Takes every entry off.
        case root
    }

    /// Which entries an operation adds and takes off.
    package struct Transition: Hashable, Sendable {
        package var created: [StackEntry] = []
        package var destroyed: [StackEntry] = []

        /// Whether the stack stayed as it was.
        package var isEmpty: Bool { created.isEmpty && destroyed.isEmpty }
    }

    /// Carries out an operation; at the root, `back` and `root` change nothing.
    package mutating func apply(_ operation: Operation) -> Transition {
        switch operation {
        case .push(let entry):
            entries.append(entry)
            nextID = max(nextID, entry.id) + 1
            return Transition(created: [entry])
        case .back:
            guard let entry = entries.popLast() else { return Transition() }
            return Transition(destroyed: [entry])
        case .root:
            defer { entries = [] }
            return Transition(destroyed: entries.reversed())
        }
    }

    /// Keeps the saved view-model state of an entry.
    mutating func keep(_ state: [String: String], of id: StackEntry.ID) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
        entries[index].state = state
    }
}
