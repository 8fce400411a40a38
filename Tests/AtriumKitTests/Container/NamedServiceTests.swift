import AtriumTesting
import Testing

@_spi(Host) @testable import AtriumKit

private protocol Till {
    var takings: Int { get }
}

private struct Desk: Till {
    let takings: Int
}

/// Another module's type of the same name.
private enum Other {
    struct Till {}
}

private final class Takings {
    let tills: [NamedService<any Till>]
    var words: [String] { tills.map { "\($0.name) of \($0.module): \($0.service.takings)" } }

    init(_ tills: [NamedService<any Till>]) { self.tills = tills }
}

@Suite("Several services of one type, each with a name")
@MainActor
struct NamedServiceTests {
    private let container = Container(environment: .mock)

    init() throws {
        let registry = ModuleRegistry(scope: .named("Reports"))
        registry.repository(Takings.self) { Takings(try $0.services()) }
        try container.add(registry)
    }

    private func module(_ name: String, _ tills: [String: Int], withDefault: Bool = false) -> ModuleRegistry {
        let registry = ModuleRegistry(scope: .named(name))
        for (till, takings) in tills {
            registry.service(
                (any Till).self, named: till, live: .unavailable, local: { _ in Desk(takings: takings) },
                mock: { _ in Desk(takings: takings) })
        }
        if withDefault {
            registry.service(
                (any Till).self, live: .unavailable, local: { _ in Desk(takings: 0) },
                mock: { _ in Desk(takings: 0) })
            registry.service(
                Other.Till.self, named: "cash", live: .unavailable, local: { _ in Other.Till() },
                mock: { _ in Other.Till() })
        }
        return registry
    }

    private var words: [String] {
        get throws { try container.resolve(Takings.self, .repository).words }
    }

    @Test("All are listed by name, whoever registers them; the list is built again when one comes or goes")
    func list() throws {
        #expect(try words == [])
        let cards = module("Cards", ["cards": 3])

        try container.add(module("Cash", ["euros": 2, "cash": 1], withDefault: true))
        try container.add(cards)
        #expect(try words == ["cards of Cards: 3", "cash of Cash: 1", "euros of Cash: 2"])
        let change = StagedChange(of: container)
        change.remove(try #require(cards.registrations.first?.owner))
        try change.add(module("Cards", ["cards": 4]))
        #expect(change.plan.affected.map(\.name) == ["Takings"])
        try change.publish()
        #expect(try words == ["cards of Cards: 4", "cash of Cash: 1", "euros of Cash: 2"])
    }

    @Test("Two modules can't give one name, and the override of one is listed")
    func names() throws {
        try container.add(module("Cash", ["cash": 1]))

        let error = #expect(throws: RegistrationError.self) {
            try container.add(module("Cards", ["cash": 2]))
        }
        #expect(error?.code == .duplicate)
        try container.override((any Till).self, named: "cash") { Desk(takings: 7) }
        #expect(try words == ["cash of Cash: 7"])
    }
}
