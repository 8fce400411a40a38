import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Verification of values that their dependents build first")
@MainActor
struct VerificationOrderTests {
    private let container = Container(environment: .mock)

    private func findings() async throws -> [ErrorCode] {
        try container.verify(screens: []) { $0.infrastructure }.findings.map(\.error.code)
    }

    @Test("A value that failed only because of its first dependent is also checked by itself")
    func captor() async throws {
        try container.add { registry in
            registry.node("holder", holding: "between")
            registry.node("between", .transient, holding: "entry", "missing")
            registry.node("entry", .entry)
        }

        #expect(try await findings() == [.wrongLifetime, .notRegistered])
    }

    @Test("An error in an optional dependency is found")
    func attempt() async throws {
        try container.add { registry in
            registry.useCase(Node.self, named: "a", lifetime: .shared) { context in
                Node("a", held: [try? context.core.node("b")].compactMap(\.self))
            }
            registry.useCase(Node.self, named: "b") { _ in throw PlainFailure() }
        }

        #expect(try await findings() == [.factoryFailed])
    }
}
