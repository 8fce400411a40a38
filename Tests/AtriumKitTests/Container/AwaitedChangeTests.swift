import Testing

@_spi(Host) @testable import AtriumKit

private final class Source: Sendable {
    let edition: Int

    init(_ edition: Int) {
        self.edition = edition
    }
}

private final class Index: Sendable {
    let source: Source

    init(source: Source) {
        self.source = source
    }
}

@Suite("Changes while a factory is awaited")
@MainActor
struct AwaitedChangeTests {
    private let container = Container(environment: .mock)
    private let turnstile = Turnstile()
    private let built = Counter()

    private func source(_ edition: Int) -> ModuleRegistry {
        .of("Sources", generation: edition) { registry in
            registry.service(Source.self) { _ in Source(edition) }
        }
    }

    /// An index whose factory asks for the source after it was let through the turnstile.
    private func addIndex() throws {
        try container.add(module: "Search", requires: ["Sources"]) { [turnstile, built] registry in
            registry.repository(Index.self) { context async throws in
                _ = built.next()
                await turnstile.pass()
                return Index(source: try await context.service(Source.self))
            }
        }
    }

    /// A request whose factory waits at the turnstile when this returns.
    private func request() async -> Task<Index, any Error> {
        let task = Task { [container] in try await container.awaited(Index.self) }
        await turnstile.arrivals(1)
        return task
    }

    private func update(from scope: ModuleScope) throws {
        let change = StagedChange(of: container)
        change.remove(scope)
        try change.add(source(2))
        try change.publish()
    }

    @Test("A build that began before a change sees the old state to its end, and stays out of the next")
    func oldState() async throws {
        let first = ModuleScope.named("Sources")
        let registry = ModuleRegistry(scope: first)
        registry.service(Source.self) { _ in Source(1) }
        try container.add(registry)
        try addIndex()
        _ = try container.resolve(Source.self, .service)
        let task = await request()

        try update(from: first)
        turnstile.open()
        let old = try await task.value
        let next = try await container.awaited(Index.self)

        #expect(old.source.edition == 1)
        #expect(next.source.edition == 2)
        #expect(next === (try container.resolve(Index.self, .repository)))
        #expect(built.count == 2)
    }

    @Test("Who asks after the change gets the new state, also while the build that began before still runs")
    func notJoined() async throws {
        let first = ModuleScope.named("Sources")
        let registry = ModuleRegistry(scope: first)
        registry.service(Source.self) { _ in Source(1) }
        try container.add(registry)
        try addIndex()
        let old = await request()

        try update(from: first)
        let next = Task { [container] in try await container.awaited(Index.self) }
        turnstile.open()

        #expect(try await old.value.source.edition == 1)
        #expect(try await next.value.source.edition == 2)
        #expect(built.count == 2)
    }

    @Test("A change that makes no difference to a build leaves one value of it, and of what it needed")
    func noDifference() async throws {
        try container.add(source(1))
        try addIndex()
        let before = await request()

        try container.add(module: "Other") { registry in
            registry.repository(Counter.self) { _ in Counter() }
        }
        let after = Task { [container] in try await container.awaited(Index.self) }
        turnstile.open()
        let index = try await before.value

        #expect(try await after.value === index)
        #expect(try await container.awaited(Index.self) === index)
        #expect(try container.resolve(Source.self, .service) === index.source)
        #expect(built.count == 1)
    }

    @Test("A build sees the old state also where its own module was removed, and leaves nothing behind")
    func removed() async throws {
        try container.add(source(1))
        let search = ModuleScope.named("Search", requires: ["Sources"])
        let registry = ModuleRegistry(scope: search)
        registry.repository(Index.self) { [turnstile] context async throws in
            await turnstile.pass()
            return Index(source: try await context.service(Source.self))
        }
        try container.add(registry)
        let task = await request()

        container.remove(search)
        turnstile.open()
        let index = try await task.value
        let error = await #expect(throws: ResolutionError.self) { try await container.awaited(Index.self) }

        #expect(index.source.edition == 1)
        #expect(error?.code == .notRegistered)
    }

    @Test("Without a change in between, the next request gets the value")
    func unchanged() async throws {
        try container.add(source(1))
        try addIndex()
        let task = await request()

        turnstile.open()
        let index = try await task.value

        #expect(try await container.awaited(Index.self) === index)
        #expect(built.count == 1)
    }
}
