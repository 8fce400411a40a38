import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Values that a published change hands over")
@MainActor
struct HandOverTests {
    private let container = Container(environment: .mock)

    private func add(_ name: String, version: Int = 1) throws -> ModuleScope {
        try container.add(module: name, generation: version) { $0.node(name, version: version) }.scope
    }

    @Test("A value that the next state built is rebuilt if the staged change then affects it")
    func order() throws {
        let scope = try add("k")
        let old = try container.node("k")
        let change = StagedChange(of: container)
        try change.add(.of("A", requires: ["k"]) { $0.node("a", holding: "k") })
        let first = try change.next.node("a")

        change.remove(scope)
        try change.add(.of("k", generation: 2) { $0.node("k", version: 2) })
        let second = try change.next.node("a")
        try change.publish()

        #expect(first.held.first === old)
        #expect(second.held.first?.version == 2)
        #expect(try container.node("a") === second)
        #expect(try container.node("k") === second.held.first)
    }

    @Test("A value of the next state is rebuilt if the change affects a current value that it holds")
    func inherited() throws {
        let scope = try add("w")
        try container.add(module: "Z", requires: ["w"]) { $0.node("z", holding: "w") }
        try container.add(module: "Y", requires: ["Z"]) { $0.node("y", holding: "z") }
        let old = try container.node("z")
        let change = StagedChange(of: container)
        #expect(try change.next.node("y").held.first === old)

        change.remove(scope)
        try change.add(.of("w", generation: 2) { $0.node("w", version: 2) })
        let next = try change.next.node("y")
        try change.publish()

        #expect(next.held.first?.held.first?.version == 2)
        #expect(try container.node("y") === next)
        #expect(try container.node("z") === next.held.first)
    }

    @Test("The holder of an earlier transient build is released even if a later build was handed over")
    func transient() throws {
        let scope = try add("x")
        _ = try add("y")
        try container.add(module: "A", requires: ["x", "y"]) { registry in
            registry.useCase(Node.self) { (context, name: String) in
                Node("of \(name)", held: [try context.core.node(name)])
            }
            for name in ["x", "y"] {
                registry.useCase(Node.self, named: "holder of \(name)", lifetime: .shared) { context in
                    let core = context.core
                    let node = try core.resolve(Node.self, named: nil, UseCaseContext.self, name)
                    return Node("a", held: [node])
                }
            }
        }
        let old = try container.node("holder of x")

        let change = StagedChange(of: container)
        _ = try change.next.node("holder of y")
        try change.publish()
        container.remove(scope)
        _ = try add("x", version: 2)
        let new = try container.node("holder of x")

        #expect(new !== old)
        #expect(new.held.first?.held.first?.version == 2)
    }
}
