import Testing

@_spi(Host) @testable import AtriumKit

private protocol RateService: Sendable {
    func rate(_ currency: String) async throws -> Double
}

private struct NetworkRates: RateService {
    func rate(_ currency: String) async throws -> Double { currency == "EUR" ? 1 : 2 }
}

private struct StoredRates: RateService {
    let rates: [String: Double]
    func rate(_ currency: String) async throws -> Double { rates[currency] ?? 2 }
}

private actor CachedRates: RateService {
    private var cache: [String: Double] = [:]
    private let rates: any RateService

    init(_ rates: any RateService) {
        self.rates = rates
    }

    func rate(_ currency: String) async throws -> Double {
        if let rate = cache[currency] { return rate }
        let rate = try await rates.rate(currency)
        cache[currency] = rate
        return rate
    }
}

/// Depends on the protocol only.
@MainActor
private final class RateRepository {
    private let service: any RateService
    /// The type name of the implementation that it was given.
    var kind: String { "\(type(of: service))" }

    init(service: any RateService) {
        self.service = service
    }

    func convert(_ amount: Double, to currency: String) async throws -> Double {
        amount * (try await service.rate(currency))
    }
}

@Suite("Implementations of one protocol")
@MainActor
struct SwappedImplementationsTests {
    private func container(_ environment: Environment) throws -> Container {
        let container = Container(environment: environment)
        try container.add(module: "Rates") { registry in
            registry.service(
                (any RateService).self, live: { _ in NetworkRates() },
                local: { _ in StoredRates(rates: ["EUR": 1, "USD": 2]) },
                mock: { _ in CachedRates(NetworkRates()) })
            registry.repository(RateRepository.self) { RateRepository(service: try $0.service()) }
        }
        return container
    }

    @Test(
        "The environment selects the implementation, and a repository's results are the same with each",
        arguments: [
            (Environment.live, "NetworkRates"), (.local, "StoredRates"), (.mock, "CachedRates"),
        ])
    func environments(_ environment: Environment, _ kind: String) async throws {
        let repository = try container(environment).resolve(RateRepository.self, .repository)

        #expect(repository.kind == kind)
        #expect(try await repository.convert(10, to: "EUR") == 10)
        #expect(try await repository.convert(10, to: "USD") == 20)
    }

    @Test("An override in a child container applies to everything built there; the parent is unchanged")
    func override() throws {
        let parent = try container(.mock)
        let before = try parent.resolve(RateRepository.self, .repository)
        let child = Container(parent: parent)
        #expect(try child.resolve(RateRepository.self, .repository) === before)

        try child.override((any RateService).self) { StoredRates(rates: [:]) }

        #expect(try child.resolve(RateRepository.self, .repository).kind == "StoredRates")
        #expect(try parent.resolve(RateRepository.self, .repository) === before)
        #expect(before.kind == "CachedRates")
    }

    @Test("A module's next generation replaces the implementation, and dependents are rebuilt")
    func update() throws {
        let container = Container(environment: .mock)
        let first = try container.add(module: "Rates") { registry in
            registry.service((any RateService).self) { _ in NetworkRates() }
        }.scope
        try container.add(module: "Shop", requires: ["Rates"]) { registry in
            registry.repository(RateRepository.self) { RateRepository(service: try $0.service()) }
        }
        let before = try container.resolve(RateRepository.self, .repository)

        container.remove(first)
        try container.add(module: "Rates", generation: 2) { registry in
            registry.service((any RateService).self) { _ in StoredRates(rates: [:]) }
        }

        #expect(before.kind == "NetworkRates")
        #expect(try container.resolve(RateRepository.self, .repository).kind == "StoredRates")
    }

    @Test("An implementation can't be resolved by its concrete type")
    func concrete() throws {
        let container = try container(.mock)

        let error = #expect(throws: ResolutionError.self) {
            try container.resolve(NetworkRates.self, .service)
        }

        #expect(error?.code == .notRegistered)
        #expect(error?.message == "No active module registers NetworkRates as a service: NetworkRates.")
    }
}
