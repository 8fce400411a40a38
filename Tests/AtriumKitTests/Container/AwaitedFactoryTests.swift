import Testing

@_spi(Host) @testable import AtriumKit

private final class Archive: Sendable {
    let number: Int

    init(_ number: Int) {
        self.number = number
    }
}

private final class Reader: Sendable {
    let archive: Archive

    init(archive: Archive) {
        self.archive = archive
    }
}

@Suite("Factories that are awaited")
@MainActor
struct AwaitedFactoryTests {
    private let container = Container(environment: .mock)
    private let turnstile = Turnstile()
    private let built = Counter()

    /// An archive whose factory waits at the turnstile; its first `failing` builds throw.
    private func addArchive(failing: Int = 0) throws {
        try container.add { [turnstile, built] registry in
            registry.repository(Archive.self) { _ async throws in
                let number = built.next()
                await turnstile.pass()
                try Task.checkCancellation()
                if number <= failing { throw ExplainedFailure() }
                return Archive(number)
            }
            registry.useCase(Reader.self) { Reader(archive: try $0.repository()) }
        }
    }

    /// Requests that all wait when this returns.
    private func requests(_ count: Int) async -> [Task<Archive, any Error>] {
        let started = Turnstile()
        let tasks = (0..<count).map { _ in
            Task { [container] in
                started.note()
                return try await container.awaited(Archive.self)
            }
        }
        await started.arrivals(count)
        return tasks
    }

    @Test("Fifty concurrent requests await one build and get one value")
    func singleFlight() async throws {
        try addArchive()
        let tasks = await requests(50)
        await turnstile.arrivals(1)

        turnstile.open()
        var values: Set<ObjectIdentifier> = []
        for task in tasks { values.insert(ObjectIdentifier(try await task.value)) }

        #expect(values.count == 1)
        #expect(built.count == 1)
        #expect(try container.resolve(Archive.self, .repository).number == 1)
    }

    @Test("A failure reaches all who wait, and is not remembered")
    func failure() async throws {
        try addArchive(failing: 1)
        let tasks = await requests(5)
        await turnstile.arrivals(1)

        turnstile.open()
        var messages: [String] = []
        for task in tasks {
            let error = await #expect(throws: ResolutionError.self) { try await task.value }
            messages.append(error?.message ?? "")
        }
        let next = try await container.awaited(Archive.self)

        #expect(
            messages
                == Array(
                    repeating: "Archive could not be built (Archive): The printer is out of paper.", count: 5)
        )
        #expect(next.number == 2)
    }

    @Test("Who is cancelled stops waiting; the others get the value")
    func cancellation() async throws {
        try addArchive()
        let tasks = await requests(3)
        await turnstile.arrivals(1)

        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        turnstile.open()

        #expect(try await tasks[0].value === tasks[2].value)
        #expect(built.count == 1)
    }

    @Test("With the last who waits the build is cancelled, and who asks next begins another")
    func lastCancellation() async throws {
        try addArchive()
        let tasks = await requests(2)
        await turnstile.arrivals(1)

        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        let next = await requests(1)
        await turnstile.arrivals(2)
        turnstile.open()

        #expect(try await next[0].value.number == 2)
        #expect(try container.resolve(Archive.self, .repository).number == 2)
    }

    @Test("Nobody joins a build that was told to stop, also while it has not stopped yet")
    func stopping() async throws {
        let brake = Turnstile()
        try container.add { [turnstile, built] registry in
            registry.repository(Archive.self) { _ async in
                let number = built.next()
                await turnstile.pass()
                // Nothing cancels the wait of a task of its own.
                if number == 1 { await Task { await brake.pass() }.value }
                return Archive(number)
            }
        }
        let first = await requests(1)
        await turnstile.arrivals(1)

        first[0].cancel()
        await #expect(throws: CancellationError.self) { try await first[0].value }
        await brake.arrivals(1)
        let next = await requests(1)
        turnstile.open()
        brake.open()
        let archive = try await next[0].value

        #expect(archive.number == 2)
        #expect(try await container.awaited(Archive.self) === archive)
    }

    @Test("A request that was cancelled before it asked does not disturb who waits")
    func cancelledBefore() async throws {
        try addArchive()
        let tasks = await requests(1)
        await turnstile.arrivals(1)

        let late = Task { [container] in try await container.awaited(Archive.self) }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        turnstile.open()

        #expect(try await tasks[0].value.number == 1)
    }

    @Test("Without awaiting there is nothing before it is built, and the value afterwards")
    func withoutAwaiting() async throws {
        try addArchive()
        turnstile.open()

        let early = failure { try container.resolve(Reader.self, .useCase) }
        let archive = try await container.awaited(Archive.self)
        let readers = try (0..<3).map { _ in try container.resolve(Reader.self, .useCase) }

        #expect(early?.code == .asynchronous)
        #expect(
            early?.message == "Archive has to be awaited, and was not built yet: Reader → Archive.")
        #expect(
            early?.hint == "Await it in activate(_:) or in an asynchronous factory, or take a Provider.")
        #expect(early?.path == ["Reader", "Archive"])
        #expect(readers.allSatisfy { $0.archive === archive })
    }

    @Test("A transient one is built for each who awaits it")
    func transient() async throws {
        try container.add { [built] registry in
            registry.useCase(Archive.self) { _ async in Archive(built.next()) }
        }

        let first = try await container.awaited(Archive.self, .useCase)
        let second = try await container.awaited(Archive.self, .useCase)

        #expect([first.number, second.number] == [1, 2])
    }

    private func failure(_ resolve: () throws -> Reader) -> ResolutionError? {
        #expect(throws: ResolutionError.self) { try resolve() }
    }
}
