@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("Invariants of the stack after random operations")
struct NavigationStatePropertyTests {
    private static let seeds: Range<UInt64> = 0..<16
    private static let steps = 400

    /// Applies random operations of a seed, and passes each with the state before and after it.
    private func walk(
        _ seed: UInt64,
        _ look: (NavigationState, NavigationState.Operation, NavigationState) throws -> Void
    ) throws {
        var generator = OperationGenerator(seed: seed)
        var state = NavigationState()
        for _ in 0..<Self.steps {
            let before = state
            let operation = generator.next(for: state)
            _ = state.apply(operation)
            try look(before, operation, state)
        }
    }

    /// The entries on both stacks, in their new order.
    private func kept(_ before: NavigationState, _ after: NavigationState) -> [StackEntry] {
        let ids = Set(before.entries.map(\.id))
        return after.entries.filter { ids.contains($0.id) }
    }

    @Test("Ids are unique, of entries and what is ahead together, and below the next one", arguments: seeds)
    func ids(seed: UInt64) throws {
        var used: Set<Int> = []
        try walk(seed) { before, operation, after in
            let ids = (after.entries + after.ahead).map(\.id)
            try #require(Set(ids).count == ids.count, "\(operation)")
            try #require(ids.allSatisfy { $0 > 0 && $0 < after.nextID })
            try #require(after.nextID >= before.nextID)
            let known = Set((before.entries + before.ahead).map(\.id))
            for id in ids where !known.contains(id) { try #require(used.insert(id).inserted) }
        }
    }

    @Test(
        "Each entry is either created or kept; each former entry is either kept or destroyed",
        arguments: seeds)
    func transitions(seed: UInt64) throws {
        try walk(seed) { before, operation, after in
            let (state, transition) = before.applying(operation)
            let created = transition.created.map(\.id), kept = kept(before, after).map(\.id)
            let destroyed = transition.destroyed.map(\.id)
            try #require(state == after)
            try #require(Set(kept + created) == Set(after.entries.map(\.id)))
            try #require(Set(kept + destroyed) == Set(before.entries.map(\.id)))
            try #require(kept.count + created.count == after.entries.count)
            try #require(kept.count + destroyed.count == before.entries.count)
            try #require(Set(created).isDisjoint(with: destroyed))
        }
    }

    @Test(
        "The fast paths of frequent operations report the same transition as the general path",
        arguments: seeds)
    func shortWays(seed: UInt64) throws {
        try walk(seed) { before, operation, _ in
            var state = before
            try #require(state.apply(operation) == before.applying(operation).transition, "\(operation)")
        }
    }

    @Test(
        "Kept entries keep their order, unless brought to the front; destroyed ones are listed from the top down",
        arguments: seeds)
    func order(seed: UInt64) throws {
        try walk(seed) { before, operation, after in
            let (_, transition) = before.applying(operation)
            let positions = Dictionary(
                before.entries.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: max)
            let destroyed = transition.destroyed.compactMap { positions[$0.id] }
            try #require(destroyed == destroyed.sorted(by: >))
            switch operation {
            case .replaceAll: break
            case .bringToFront(let id):
                let others = kept(before, after).filter { $0.id != id }.compactMap { positions[$0.id] }
                try #require(others == others.sorted())
                guard let index = positions[id], before.entries[index].presentation == nil else { break }
                try #require(after.entries.last?.id == id)
            default:
                let kept = kept(before, after).compactMap { positions[$0.id] }
                try #require(kept == kept.sorted())
            }
        }
    }

    @Test("A presented entry lies directly above its presenter, or at the bottom", arguments: seeds)
    func presenters(seed: UInt64) throws {
        try walk(seed) { before, operation, after in
            for (index, entry) in after.entries.enumerated() {
                guard let presentation = entry.presentation else { continue }
                let below = index > 0 ? after.entries[index - 1].id : nil
                try #require(presentation.presenter == below, "\(operation)")
            }
            guard case .present(let entry, let slot) = operation else { return }
            try #require(after.entries.dropLast() == before.entries[...])
            try #require(after.entries.last?.id == entry.id)
            let expected = StackEntry.Presentation(presenter: before.entries.last?.id, slot: slot)
            try #require(after.entries.last?.presentation == expected)
        }
    }

    @Test(
        "Dismissing removes the last presented entry and all above it, and nothing else", arguments: seeds)
    func dismissing(seed: UInt64) throws {
        try walk(seed) { _, _, state in
            let dismissed = state.applying(.dismiss).state
            let index = state.entries.lastIndex { $0.presentation != nil }
            try #require(dismissed.entries[...] == state.entries[..<(index ?? state.entries.count)])
            try #require(dismissed.ahead == (index == nil ? state.ahead : []))
        }
    }

    @Test("At most `limitAhead` entries can be gone forward to")
    func limitAhead() {
        let count = NavigationState.limitAhead + 10
        var state = NavigationState()
        for id in 1...count { _ = state.apply(.push(OperationGenerator.entry(id))) }
        for _ in 1...count { _ = state.apply(.back) }
        #expect(state.ahead.map(\.id) == (1...NavigationState.limitAhead).reversed())

        for _ in 1...count { _ = state.apply(.forward) }

        #expect(state.entries.map(\.id) == Array(1...NavigationState.limitAhead))
    }

    @Test(
        "No entry ahead is presented or on the stack, and there are at most `limitAhead`",
        arguments: seeds)
    func ahead(seed: UInt64) throws {
        try walk(seed) { _, operation, after in
            try #require(after.ahead.allSatisfy { $0.presentation == nil }, "\(operation)")
            try #require(Set(after.ahead.map(\.id)).isDisjoint(with: after.entries.map(\.id)))
            try #require(after.ahead.count <= NavigationState.limitAhead)
        }
    }

    @Test("Going forward puts an entry back above the entry that was below it", arguments: seeds)
    func forwardGoesWhereBackCameFrom(seed: UInt64) throws {
        var below: [StackEntry.ID: StackEntry.ID?] = [:]
        try walk(seed) { before, operation, after in
            if case .back = operation, let top = before.entries.last {
                below.updateValue(before.entries.dropLast().last?.id, forKey: top.id)
            }
            if case .forward = operation, let top = after.entries.last, before.entries.last?.id != top.id {
                let former = try #require(below[top.id])
                try #require(former == before.entries.last?.id)
            }
        }
    }

    @Test("Undoing an operation gives equal entries", arguments: seeds)
    func undoing(seed: UInt64) throws {
        try walk(seed) { _, _, state in
            let entry = OperationGenerator.entry(state.nextID)
            let presented = state.applying(.present(entry, slot: "choice")).state
            try #require(presented.applying(.dismiss).state.entries == state.entries)
            try #require(presented.applying(.back).state.entries == state.entries)
            try #require(state.applying(.push(entry)).state.applying(.back).state.entries == state.entries)
            guard let top = state.entries.last, top.presentation == nil else { return }
            let returned = state.applying(.back).state.applying(.forward).state
            try #require(returned.entries == state.entries)
            try #require(returned.ahead == state.ahead.suffix(NavigationState.limitAhead - 1))
        }
    }

    @Test(
        "Going to the root empties the stack; at the root, operations that leave change nothing",
        arguments: seeds)
    func root(seed: UInt64) throws {
        try walk(seed) { _, _, state in
            let (root, transition) = state.applying(.root)
            try #require(root.entries.isEmpty && transition.created.isEmpty)
            try #require(transition.destroyed == state.entries.reversed())
            for operation in [NavigationState.Operation.back, .root, .dismiss, .pop(to: 1), .remove(1)] {
                let (next, transition) = root.applying(operation)
                try #require(next == root && transition == NavigationState.Transition(), "\(operation)")
            }
        }
    }

    @Test("Encoding and decoding a stack as JSON gives an equal one", arguments: seeds)
    func coding(seed: UInt64) throws {
        var step = 0
        try walk(seed) { _, _, state in
            step += 1
            // Long stacks are slow to encode and prove no more than short ones.
            guard step % 7 == 0 else { return }
            var state = state
            if let id = state.entries.last?.id { state.update(id) { $0.state = ["Model": #"{"page":2}"#] } }
            let kept = try StateCoding.encode(state)
            try #require(try StateCoding.decode(NavigationState.self, from: kept) == state)
        }
    }

    @Test("An id that is not on the stack or was used before changes nothing", arguments: seeds)
    func unknownIDs(seed: UInt64) throws {
        try walk(seed) { _, _, state in
            let unknown = (0...state.nextID).filter { id in !state.entries.contains { $0.id == id } }
            for id in unknown.suffix(4) {
                for operation in [NavigationState.Operation.pop(to: id), .bringToFront(id), .remove(id)] {
                    try #require(state.applying(operation).state == state, "\(operation)")
                }
            }
            guard state.nextID > 1 else { return }
            let used = OperationGenerator.entry(state.nextID - 1)
            for operation in [
                NavigationState.Operation.push(used), .replace(used), .present(used, slot: nil),
            ] {
                try #require(state.applying(operation).state == state, "\(operation)")
            }
        }
    }
}
