import Testing

@_spi(Host) @testable import AtriumKit

private final class Lock: Sendable {}
private final class Key: Sendable {}
private final class Drawer: Sendable {}

// The contexts of the layers can't express a circle, so these factories reach past them, to the core.
@Suite("Awaited factories that need themselves")
@MainActor
struct AwaitedCycleTests {
    private let container = Container(environment: .mock)

    private func failure<Value>(_ type: Value.Type, _ layer: Layer) async -> ResolutionError? {
        await #expect(throws: ResolutionError.self) { _ = try await container.awaited(type, layer) }
    }

    @Test("Two shared builds that wait for each other fail with the circle, whoever is asked first")
    func mutual() async throws {
        try container.add { registry in
            registry.aggregateModel(Lock.self) { context async throws in
                let _: Key = try await context.useCase()
                return Lock()
            }
            registry.useCase(Key.self, lifetime: .shared) { context async throws in
                _ = try await context.core.resolveAsynchronously(
                    Lock.self, named: nil, AggregateModelContext.self)
                return Key()
            }
        }

        let lock = await failure(Lock.self, .aggregateModel)
        let key = await failure(Key.self, .useCase)

        #expect(lock?.code == .cycle)
        #expect(lock?.message == "Lock needs itself: Lock → Key → Lock.")
        #expect(lock?.path == ["Lock", "Key", "Lock"])
        #expect(key?.message == "Key needs itself: Key → Lock → Key.")
        #expect(
            key?.hint == "Break the circle: let one of them take a Provider, or what it needs as an argument."
        )
    }

    @Test("A shared build that awaits itself fails")
    func itself() async throws {
        try container.add { registry in
            registry.useCase(Key.self, lifetime: .shared) { context async throws in
                try await context.core.resolveAsynchronously(Key.self, named: nil, UseCaseContext.self)
            }
        }

        let error = await failure(Key.self, .useCase)

        #expect(error?.message == "Key needs itself: Key → Key.")
    }

    @Test("Transient builds that await each other fail with the circle, without the way to it")
    func transient() async throws {
        try container.add { registry in
            registry.aggregateModel(Drawer.self) { context async throws in
                let _: Lock = try await context.core.resolveAsynchronously(
                    Lock.self, named: nil, AggregateModelContext.self)
                return Drawer()
            }
            registry.aggregateModel(Lock.self, lifetime: .transient) { context async throws in
                let _: Key = try await context.useCase()
                return Lock()
            }
            registry.useCase(Key.self, lifetime: .transient) { context async throws in
                _ = try await context.core.resolveAsynchronously(
                    Lock.self, named: nil, AggregateModelContext.self)
                return Key()
            }
        }

        let error = await failure(Drawer.self, .aggregateModel)

        #expect(error?.message == "Lock needs itself: Lock → Key → Lock.")
        #expect(error?.path == ["Drawer", "Lock", "Key", "Lock"])
    }
}
