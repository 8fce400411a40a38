import TestSupport

@testable import AtriumNavigation

/// Generates random operations of all kinds, including ones that have no effect.
struct OperationGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    static func entry(_ id: Int) -> StackEntry {
        StackEntry(
            id: id, module: "House", destination: "room", version: 1, link: "rooms/\(id)",
            properties: ArchivedDestination(json: "{}"))
    }

    /// The next operation; pushing and going back are the most frequent, as in real use.
    mutating func next(for state: NavigationState) -> NavigationState.Operation {
        switch number(below: 32) {
        case 0..<9: .push(Self.entry(state.nextID))
        case 9..<14: .back
        case 14..<18: .forward
        case 18..<22: .present(Self.entry(state.nextID), slot: number(below: 2) == 0 ? nil : "choice")
        case 22..<24: .replace(Self.entry(state.nextID))
        case 24: .dismiss
        case 25: .pop(to: someID(in: state))
        case 26..<28: .bringToFront(someID(in: state))
        case 28..<30: .remove(someID(in: state))
        case 30: .replaceAll(stack(for: state))
        default: number(below: 4) == 0 ? .root : .push(Self.entry(someID(in: state)))
        }
    }

    mutating func number(below limit: Int) -> Int {
        Int.random(in: 0..<limit, using: &random)
    }

    /// The id of an entry of the stack, and now and then one that is not on the stack.
    private mutating func someID(in state: NavigationState) -> StackEntry.ID {
        guard number(below: 8) > 0, !state.entries.isEmpty else { return number(below: state.nextID + 2) }
        return state.entries[number(below: state.entries.count)].id
    }

    /// Some of the entries in another order, new ones, and possibly a duplicate.
    private mutating func stack(for state: NavigationState) -> [StackEntry] {
        var entries = state.entries.shuffled(using: &random).prefix(4) + state.entries.prefix(1)
        entries.insert(Self.entry(state.nextID), at: number(below: entries.count + 1))
        return entries + [Self.entry(state.nextID + 1)]
    }
}
