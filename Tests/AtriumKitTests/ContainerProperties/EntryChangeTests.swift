import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Values with lifetime 'entry' during changes")
@MainActor
struct EntryChangeTests {
    private let container = Container(environment: .mock)
    private let entry = EntryScope(navigator: StationaryNavigator())

    private func add(_ version: Int) throws -> ModuleScope {
        try container.add(generation: version) { $0.node("e", version: version, .entry) }.scope
    }

    private func node(in container: Container) throws -> Node {
        try container.inEntry(entry) { try container.node("e") }
    }

    @Test("After an update an entry gets the value of the next generation")
    func update() throws {
        let scope = try add(1)
        let old = try node(in: container)

        container.remove(scope)
        _ = try add(2)

        #expect(old.version == 1)
        #expect(try node(in: container).version == 2)
    }

    @Test("A value that the next state built for an entry is the entry's value after publication")
    func published() throws {
        _ = try add(1)
        let change = StagedChange(of: container)
        let next = try node(in: change.next)

        try change.publish()

        #expect(try node(in: container) === next)
    }

    @Test("Values of different types are distinguished, even if discarded states had them at one address")
    func addresses() throws {
        struct Wide: Equatable {
            var numbers = (1, 2, 3, 4)
            static func == (left: Wide, right: Wide) -> Bool { left.numbers == right.numbers }
        }
        _ = try add(1)
        try container.add(module: "Wide") { registry in
            for number in 0..<8 {
                registry.useCase(Wide.self, named: "\(number)", lifetime: .entry) { _ in Wide() }
            }
        }

        for _ in 0..<50 {
            let entry = EntryScope(navigator: StationaryNavigator())
            try container.inEntry(entry) {
                let first = StagedChange(of: container)
                _ = try first.next.node("e")
                first.discard()
                let second = StagedChange(of: container)
                for number in 0..<8 {
                    #expect(try second.next.value(Wide.self, .useCase, named: "\(number)") == Wide())
                }
                second.discard()
            }
        }
    }
}
