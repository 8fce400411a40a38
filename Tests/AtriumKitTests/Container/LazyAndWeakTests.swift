import Testing

@_spi(Host) @testable import AtriumKit

private final class Kettle {}

@MainActor
private final class Kitchen {
    let lazy: Lazy<Kettle>
    let weak: Weak<Kettle>

    init(_ kettle: Provider<Kettle>) {
        lazy = kettle.lazy
        weak = kettle.weak
    }
}

@Suite("Lazy and weak handles")
@MainActor
struct LazyAndWeakTests {
    private let container = Container(environment: .mock)
    private let built = Counter()

    private func addKitchen() throws -> Kitchen {
        try container.add(module: "House", requires: ["Kettles"]) { registry in
            registry.repository(Kitchen.self) { Kitchen($0.serviceProvider()) }
        }
        return try container.resolve(Kitchen.self, .repository)
    }

    @discardableResult
    private func addKettle(lifetime: Lifetime = .shared, failing: Int = 0) throws -> ModuleScope {
        try container.add(module: "Kettles") { [built] registry in
            registry.service(Kettle.self, lifetime: lifetime) { _ in
                if built.next() <= failing { throw PlainFailure() }
                return Kettle()
            }
        }.scope
    }

    @Test("A lazy value is built when first asked for, and kept, also a transient one")
    func once() throws {
        try addKettle(lifetime: .transient)
        let kitchen = try addKitchen()
        let before = built.count

        let kettles = [try kitchen.lazy(), try kitchen.lazy()]

        #expect(before == 0)
        #expect(kettles[0] === kettles[1])
        #expect(built.count == 1)
    }

    @Test("A failure to build a lazy value is not kept")
    func failure() throws {
        try addKettle(failing: 1)
        let kitchen = try addKitchen()

        let error = #expect(throws: ResolutionError.self) { try kitchen.lazy() }

        #expect(error?.code == .factoryFailed)
        #expect(throws: Never.self) { try kitchen.lazy() }
        #expect(built.count == 2)
    }

    @Test("Who has a lazy value is affected by its changes once it is built, and not before")
    func affected() throws {
        let first = try addKettle()
        let kitchen = try addKitchen()

        let before = container.remove(first)
        let second = try addKettle()
        let kept = try container.resolve(Kitchen.self, .repository)
        _ = try kitchen.lazy()
        let after = container.remove(second)

        #expect(before.affected.isEmpty && kept === kitchen)
        #expect(after.affected.map(\.name) == ["Kitchen"])
        #expect(try container.resolve(Kitchen.self, .repository) !== kitchen)
    }

    @Test("An awaited lazy value is kept too, and the same without awaiting")
    func awaited() async throws {
        try container.add(module: "Kettles") { [built] registry in
            registry.repository(Kettle.self, lifetime: .transient) { _ async in
                _ = built.next()
                return Kettle()
            }
        }
        let scope = ModuleScope.named("House", requires: ["Kettles"])
        let provider: Provider<Kettle> = ActivationContext(container, for: scope).repositoryProvider()
        let lazy = provider.lazy

        let kettle = try await lazy()

        #expect(try await lazy() === kettle)
        #expect(built.count == 1)
    }

    @Test(
        "A weak value is there while it is built, is not built for its own sake, and leaves with its module")
    func weak() throws {
        let scope = try addKettle()
        let kitchen = try addKitchen()

        let before = kitchen.weak.value
        let kettle = try container.resolve(Kettle.self, .service)
        let during = kitchen.weak.value
        container.remove(scope)

        #expect(before == nil)
        #expect(during === kettle)
        #expect(kitchen.weak.value == nil)
        #expect(built.count == 1)
    }

    @Test("A weak value does not keep what it shows, and who has it is not rebuilt")
    func notKept() throws {
        let scope = try addKettle()
        let kitchen = try addKitchen()
        weak let kettle = try container.resolve(Kettle.self, .service)
        #expect(kettle != nil && kitchen.weak.value === kettle)

        let change = container.remove(scope)

        #expect(kettle == nil)
        #expect(change.affected.isEmpty)
    }
}
