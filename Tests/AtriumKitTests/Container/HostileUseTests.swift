import AtriumTesting
import Testing

@_spi(Host) @testable import AtriumKit

private class Animal {
    let legs = 4
}

private final class Dog: Animal {
    let name = "a name that is too long to stand inside the string itself"
}

/// Resolves its service while it is deallocated.
@MainActor
private final class Farewell {
    private let service: Provider<any PriceService>
    private let heard: (String?) -> Void

    init(_ service: Provider<any PriceService>, _ heard: @escaping (String?) -> Void) {
        self.service = service
        self.heard = heard
    }

    isolated deinit {
        heard((try? service())?.name)
    }
}

@MainActor
private final class Heard {
    var names: [String?] = []
}

@Suite("Hostile modules")
@MainActor
struct HostileUseTests {
    private let container = Container(environment: .mock)

    private func ask(_ provider: Provider<any PriceService>) throws -> String {
        try provider().name
    }

    @Test("A subclass that is registered as its superclass is found under the superclass only")
    func covariantTypes() throws {
        let scope = try container.add { registry in
            registry.repository(Dog.self as Animal.Type) { _ in Animal() }
            registry.useCase(Animal.self) { try $0.repository() }
        }.scope

        let error = #expect(throws: ResolutionError.self) {
            try container.resolve(Dog.self, .repository, as: scope)
        }

        #expect(error?.code == .notRegistered)
        #expect(try container.resolve(Animal.self, .repository).legs == 4)
        #expect(try container.resolve(Dog.self as Animal.Type, .repository).legs == 4)
        for _ in 0..<3 { #expect(try container.resolve(Animal.self, .useCase).legs == 4) }
    }

    @Test("A registry that is added to two containers gives each its own values, also in inlined code")
    func twoContainers() throws {
        let other = Container(environment: .local)
        let registry = try container.add(Shop.register).registry
        try other.add(registry)
        let destination = PriceList(category: "lamps")

        var names: [String] = []
        for _ in 0..<3 {
            for container in [container, other] {
                let view = try registry.screens[0].build(destination, in: container).view as? PriceView
                names.append(view?.viewModel.basket.rule.prices.service.name ?? "")
            }
        }
        container.close()
        let view = try registry.screens[0].build(destination, in: other).view as? PriceView

        #expect(names == ["mock", "local", "mock", "local", "mock", "local"])
        #expect(view?.viewModel.basket.rule.prices.service.name == "local")
    }

    @Test("A deinit that resolves a service of the removed module gets an error; the service stays removed")
    func farewell() throws {
        let heard = Heard()
        let scope = try container.add(module: "Catalog", Shop.register).scope
        try container.add(module: "Watch", requires: ["Catalog"]) { registry in
            registry.repository(Farewell.self) { context in
                _ = try context.service((any PriceService).self)
                return Farewell(context.serviceProvider()) { heard.names.append($0) }
            }
        }
        _ = try container.resolve(Farewell.self, .repository)

        container.remove(scope)

        #expect(heard.names == [nil])
        #expect(throws: ResolutionError.self) { try container.resolve((any PriceService).self, .service) }
    }

    @Test("A value that was built for verification can't resolve anything afterwards")
    func afterVerification() async throws {
        let heard = Heard()
        var kept: [Provider<any PriceService>] = []
        try container.add { registry in
            Shop.register(in: registry)
            registry.repository(Farewell.self) { context in
                kept.append(context.serviceProvider())
                return Farewell(context.serviceProvider()) { heard.names.append($0) }
            }
        }

        _ = try container.verify(screens: []) { $0.infrastructure }
        let provider = try #require(kept.first)
        let error = #expect(throws: ResolutionError.self) { try ask(provider) }

        #expect(heard.names == [nil])
        #expect(error?.code == .retired)
        #expect(
            error?.message
                == "PriceService was requested by something that was built only for verification: PriceService."
        )
        #expect(error?.hint == "Let factories build and nothing else; start tasks in activate(_:).")
        #expect(container.graph.nodes.allSatisfy { !$0.isBuilt })
    }

    @Test("Cancelled verification throws CancellationError")
    func cancelledVerification() async throws {
        try container.add(Shop.register)

        let task = Task { [container] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try container.verify(screens: []) { $0.infrastructure }
        }

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A registration after register(in:) has returned is ignored and logged as an error")
    func lateRegistration() throws {
        let log = RecordingLog()
        let infrastructure = ModuleScope.Infrastructure(
            database: UnusedDatabase(), clock: FixedClock(), logger: log.logger,
            analytics: RecordingAnalytics(), configuration: Configuration([:]))
        let registry = ModuleRegistry(scope: ModuleScope(name: "Late", infrastructure: infrastructure))
        registry.close()

        registry.repository(Animal.self) { _ in Animal() }
        try container.add(registry)

        #expect(container.count == 0)
        #expect(
            log.messages == [
                "error: Animal was registered after register(in:) had returned, which does nothing."
            ])
    }

    @Test(
        "An empty or unprintable registration name is a finding",
        arguments: ["", "a\nb", "\u{1B}[31m", String(repeating: "a", count: 201)])
    func badName(_ name: String) {
        let registry = ModuleRegistry(scope: .named("Catalog"))

        registry.repository(Animal.self, named: name) { _ in Animal() }

        #expect(registry.findings.map(\.code) == [.badName])
        #expect(
            registry.findings.first?.message
                == "Module 'Catalog' registers Animal under a name that is empty, has control characters, or is longer "
                + "than 200 bytes.")
    }

    @Test("The session's writer can't be registered in another layer")
    func writer() {
        let registry = ModuleRegistry(scope: .named("Catalog"))

        registry.repository(SessionWriter.self) { $0.session }

        #expect(registry.findings.map(\.code) == [.notAllowed])
        #expect(
            registry.findings.first?.message
                == "Module 'Catalog' can't register SessionWriter: only a repository may have it.")
    }

    @Test("A chain of factories that would overflow the stack is an error")
    func depth() throws {
        try container.add { registry in
            for number in 0..<1_500 {
                registry.useCase(Animal.self, named: "\(number)", lifetime: .shared) { context in
                    let next: Provider<Animal> = context.core.requester.container.provider(
                        "\(number + 1)", context)
                    return number == 1_499 ? Animal() : try next()
                }
            }
        }

        let error = #expect(throws: ResolutionError.self) {
            try container.resolve(Animal.self, .useCase, named: "0")
        }

        #expect(error?.code == .tooDeep)
        #expect(
            error?.message.hasPrefix("More than 1000 factories wait for each other: … → Animal '") == true)
        #expect(try container.resolve(Animal.self, .useCase, named: "1000").legs == 4)
    }
}

extension Container {
    /// Returns a provider of a use case; the context of a use case offers none.
    fileprivate func provider<Value>(
        _ name: String, _ context: borrowing UseCaseContext
    ) -> Provider<Value> {
        Provider(Value.self, named: name, UseCaseContext.self, context.core)
    }
}
