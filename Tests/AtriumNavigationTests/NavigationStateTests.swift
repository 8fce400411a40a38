@_spi(Host) import AtriumKit
import TestSupport
import Testing

@testable import AtriumNavigation

@Suite("Operations on the navigation state")
struct NavigationStateTests {
    private func entry(_ id: Int) -> StackEntry {
        StackEntry(
            id: id, module: "House", destination: "room", version: 1, link: "rooms/\(id)",
            properties: ArchivedDestination(json: "{}"))
    }

    @Test("Pushing adds an entry on top and reports it as created")
    func push() {
        var state = NavigationState()

        let first = state.apply(.push(entry(1)))
        let second = state.apply(.push(entry(2)))

        #expect(first == NavigationState.Transition(created: [entry(1)]))
        #expect(second == NavigationState.Transition(created: [entry(2)]))
        #expect(state.entries == [entry(1), entry(2)])
        #expect(state.nextID == 3)
    }

    @Test("Going back removes the top entry; its id is not reused")
    func back() {
        var state = NavigationState()
        _ = state.apply(.push(entry(1)))
        _ = state.apply(.push(entry(2)))

        let transition = state.apply(.back)

        #expect(transition == NavigationState.Transition(destroyed: [entry(2)]))
        #expect(state.entries == [entry(1)])
        #expect(state.nextID == 3)
    }

    @Test("Going to the root removes every entry, from the top down")
    func root() {
        var state = NavigationState()
        for id in 1...3 { _ = state.apply(.push(entry(id))) }

        let transition = state.apply(.root)

        #expect(transition == NavigationState.Transition(destroyed: [entry(3), entry(2), entry(1)]))
        #expect(state.entries.isEmpty)
        #expect(state.nextID == 4)
    }

    @Test(
        "At the root, going back or to the root changes nothing",
        arguments: [NavigationState.Operation.back, .root])
    func atRoot(_ operation: NavigationState.Operation) {
        var state = NavigationState()

        let transition = state.apply(operation)

        #expect(transition.created.isEmpty && transition.destroyed.isEmpty)
        #expect(state == NavigationState())
    }

    @Test("State is stored with its entry; updating an unknown entry does nothing")
    func keep() {
        var state = NavigationState()
        _ = state.apply(.push(entry(1)))

        state.update(1) { $0.state = ["Model": "{}"] }
        state.update(2) { $0.state = ["Model": "[]"] }

        #expect(state.entries.map(\.state) == [["Model": "{}"]])
    }

    @Test(
        "After random operations ids are unique and ascend, and the transitions report every change",
        arguments: 0..<8)
    func invariants(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var state = NavigationState()
        var alive: [StackEntry] = []
        var used: Set<Int> = []
        for _ in 0..<400 {
            let operation: NavigationState.Operation =
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<6: .push(entry(state.nextID))
                case 6..<9: .back
                default: .root
                }

            let transition = state.apply(operation)

            for entry in transition.destroyed { try #require(alive.popLast() == entry) }
            for entry in transition.created { try #require(used.insert(entry.id).inserted) }
            alive += transition.created
            try #require(state.entries == alive)
            try #require(alive.map(\.id) == Set(alive.map(\.id)).sorted())
            try #require(alive.allSatisfy { $0.id < state.nextID })
        }
    }

    @Test("Encoding and decoding a navigation state as JSON gives an equal one")
    func coding() throws {
        var state = NavigationState()
        _ = state.apply(.push(entry(1)))
        _ = state.apply(.push(entry(2)))
        _ = state.apply(.back)
        state.update(1) { $0.state = ["Model": #"{"page":2}"#] }

        let kept = try StateCoding.encode(state)

        #expect(try StateCoding.decode(NavigationState.self, from: kept) == state)
    }
}
