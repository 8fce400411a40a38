import AtriumTesting
import Testing

@_spi(Host) @testable import AtriumKit

private final class Rates {
    let version: String

    init(_ version: String) { self.version = version }
}

private final class Quote {
    let rates: Rates?

    init(_ rates: Rates?) { self.rates = rates }
}

private struct Offer: Destination {
    static let pattern: LinkPattern = "offer"
}

private struct OfferView: View {
    var body: Content { Title("Offer") }
}

/// Quotes uses Rates 1; both register use cases.
@Suite("Lookups of modules that may not be there")
@MainActor
struct OptionalLookupTests {
    private let container = Container(environment: .mock)
    private let quotes: ModuleScope

    init() throws {
        quotes = .named("Quotes", uses: ["Rates": "1."])
        let registry = ModuleRegistry(scope: quotes)
        registry.useCase(Quote.self) { Quote(try $0.useCaseIfPresent(Rates.self)) }
        registry.contributeIfPresent(to: ContributionPoint<String>("checks")) { context in
            try context.useCaseIfPresent(Rates.self).map { "Rates \($0.version)" }
        }
        try container.add(registry)
    }

    private func rates(_ version: String, of module: String = "Rates") -> ModuleRegistry {
        let registry = ModuleRegistry(scope: .named(module, version: version))
        registry.useCase(Rates.self) { _ in Rates(version) }
        return registry
    }

    private var version: String? {
        get throws { try container.resolve(Quote.self, .useCase).rates?.version }
    }

    private var checks: [String] {
        get throws { try container.contributions(to: ContributionPoint<String>("checks")).map(\.value) }
    }

    @Test("An element that may be absent is named by its type and list, whatever they are called")
    func names() throws {
        let point = ContributionPoint<[String: Int]>("counts > 1")
        let registry = ModuleRegistry(scope: .named("Counts"))
        registry.contribute(to: point) { _ in ["a": 2] }
        registry.contributeIfPresent(to: point) { _ in nil }
        try container.add(registry)

        #expect(
            container.members(of: point.key).map(\.key.name) == [
                "Dictionary<String, Int> 'counts > 1, Counts 1'",
                "Dictionary<String, Int> 'counts > 1, Counts 2'",
            ])
    }

    /// What is there, step by step: nil is nothing; and the version that Quotes finds.
    @Test(
        "What was built with a used module is built again when it comes, changes and goes",
        arguments: [
            [("1.0.0", "1.0.0"), (nil, nil), ("1.1.0", "1.1.0"), ("1.2.0", "1.2.0")],
            [("2.0.0", nil), ("1.0.0", "1.0.0"), ("2.0.0", nil), (nil, nil)],
        ] as [[(String?, String?)]])
    func steps(_ steps: [(there: String?, found: String?)]) throws {
        var present: ModuleScope?
        #expect(try version == nil)
        #expect(try checks == [])

        for step in steps {
            let change = StagedChange(of: container)
            if let present { change.remove(present) }
            let next = step.there.map { rates($0) }
            if let next { try change.add(next) }
            let plan = change.plan
            try change.rebuild()
            try change.publish()
            present = next?.registrations.first?.owner

            #expect(plan.affected.contains { $0.name == "Quote" }, "\(step)")
            #expect(try version == step.found, "\(step)")
            #expect(try checks == step.found.map { ["Rates \($0)"] } ?? [], "\(step)")
        }
    }

    @Test("What is bound to a module comes and goes with it, and looks it up as if it were required")
    func bound() throws {
        let registry = ModuleRegistry(scope: .named("Offers", uses: ["Rates": "1."]))
        registry.useCase(Int.self) { _ in 1 }
        registry.whilePresent("Rates") {
            registry.useCase(String.self) { "offer \(try $0.useCase(Rates.self).version)" }
            registry.contribute(to: ContributionPoint<String>("checks")) { _ in "offers" }
            registry.screen(Offer.self) { _ in OfferView() }
        }
        try container.add(registry)
        let offer = { [container] in try? container.resolve(String.self, .useCase) }

        #expect(offer() == nil && registry.screens.isEmpty && registry.absentScreens.count == 1)
        for _ in 1...2 {
            let rates = rates("1.0.0")
            let coming = StagedChange(of: container)
            try coming.setPresent(["Rates"], for: registry)
            try coming.add(rates)
            try coming.rebuild()
            #expect(registry.screens.isEmpty, "A staged change is not seen.")
            try coming.publish()
            #expect(offer() == "offer 1.0.0" && registry.screens.count == 1)
            #expect(try checks == ["offers", "Rates 1.0.0"])

            let leaving = StagedChange(of: container)
            leaving.remove(try #require(rates.registrations.first?.owner))
            try leaving.setPresent([], for: registry)
            try leaving.rebuild()
            try leaving.publish()
            #expect(offer() == nil && registry.screens.isEmpty)
            #expect(try checks == [])
        }
        #expect(try container.resolve(Int.self, .useCase) == 1)
        let other = ModuleRegistry(scope: .named("Other"))
        other.useCase(String.self) { _ in "other" }
        try container.add(other)
        let coming = StagedChange(of: container)
        #expect(throws: RegistrationError.self) { try coming.setPresent(["Rates"], for: registry) }
    }

    @Test("The failure of a factory that is there is an error, not nil")
    func failure() throws {
        let registry = ModuleRegistry(scope: .named("Rates", version: "1.0.0"))
        registry.useCase(Rates.self) { _ in throw ExplainedFailure() }
        try container.add(registry)

        #expect(throws: ResolutionError.self) { try version }
    }

    @Test("A lookup in the other form, or of a module that is not used, is an error with its cure")
    func misuse() throws {
        let other = ModuleScope.named("Other", uses: ["Rates": "1."])
        let registry = ModuleRegistry(scope: other)
        registry.useCase(String.self) { (try $0.useCase(Rates.self)).version }
        try container.add(registry)
        let lonely = ModuleRegistry(scope: .named("Lonely"))
        lonely.useCase(Int.self) { (try $0.useCaseIfPresent(Rates.self)) == nil ? 0 : 1 }
        try container.add(lonely)

        let unused = #expect(throws: ResolutionError.self) { try container.resolve(Int.self, .useCase) }
        try container.add(rates("1.0.0"))
        let required = #expect(throws: ResolutionError.self) { try container.resolve(String.self, .useCase) }
        let unnamed = #expect(throws: ResolutionError.self) { try container.resolve(Int.self, .useCase) }

        #expect(
            unused?.hint == "Name the module that registers it in \"uses\" in the module.json of Lonely.")
        #expect(
            required?.hint
                == "Write 'useCaseIfPresent' instead of 'useCase', or move \"Rates\" to \"requires\".")
        #expect(unnamed?.hint == "Add \"Rates\" to \"requires\" in the module.json of Lonely.")
    }
}
