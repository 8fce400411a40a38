import AtriumTesting
import Testing

@_spi(Host) @testable import AtriumKit

private typealias Offer = (id: Int, name: String)
private typealias Product = (id: Int, title: String)

private final class Shelf {
    let titles: [String]

    init(_ titles: [String]) { self.titles = titles }
}

/// Modules that write down a contribution point by hand, each with its own type of element.
@Suite("Contribution points of one name and several types of element")
@MainActor
struct MismatchedPointTests {
    private let container = Container(environment: .mock)
    private let message =
        "The elements of 'offers' are (id: Int, title: String) in module 'Shop', and (id: Int, name: String) in "
        + "module 'Catalog': "

    @discardableResult
    private func offer(_ module: String = "Catalog") throws -> ModuleScope {
        try container.add(module: module) { registry in
            registry.contribute(to: ContributionPoint<Offer>("offers")) { _ in (1, "Lamp") }
        }.scope
    }

    private func read() throws {
        try container.add(module: "Shop") { registry in
            registry.useCase(Shelf.self) { context in
                let offers = try context.contributions(to: ContributionPoint<Product>("offers"))
                return Shelf(offers.map(\.value.title))
            }
        }
    }

    private var titles: [String] {
        get throws { try container.resolve(Shelf.self, .useCase).titles }
    }

    private func verify() throws -> VerificationReport {
        try container.verify(screens: []) { _ in
            ModuleScope.Infrastructure(
                database: UnusedDatabase(), clock: FixedClock(), logger: RecordingLog().logger,
                analytics: RecordingAnalytics(), configuration: Configuration([:]))
        }
    }

    @Test("A reader gets an error with both modules and types, instead of an empty list")
    func used() throws {
        try offer()
        try read()

        let error = #expect(throws: ResolutionError.self) { try titles }

        #expect(error?.code == .otherElement)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
        #expect(try verify().findings.map(\.error.code) == [.otherElement])
        #expect(container.mismatchedContributions.map(\.module) == ["Shop"])
    }

    @Test("A list that was read before the other type came is built again, and works again once that is gone")
    func later() throws {
        try read()
        let before = try titles
        let scope = try offer()

        #expect(before == [])
        #expect(throws: ResolutionError.self) { try titles }
        container.remove(scope)
        #expect(try titles == [])
        #expect(container.mismatchedContributions.isEmpty)
    }

    @Test("Contributions of two types are found without a reader, each with its module")
    func contributors() throws {
        try offer()
        try container.add(module: "Shop") { registry in
            registry.contribute(to: ContributionPoint<Product>("offers")) { _ in (2, "Desk") }
        }

        let findings = try verify().findings

        #expect(findings.map(\.module) == ["Catalog", "Shop"])
        #expect(findings.last?.error.message.hasPrefix(message) == true)
    }

    @Test("A change that leaves two types is refused, in place too; one that changes both modules is made")
    func staged() throws {
        let former = [try offer(), try offer("Outlet")]
        let point = ContributionPoint<Product>("offers")
        let next = ["Catalog", "Outlet"].map { name in
            ModuleRegistry.of(name) { $0.contribute(to: point) { _ in (1, "Lamp") } }
        }

        let one = StagedChange(of: container)
        one.remove(former[0])
        try one.add(next[0])
        #expect(throws: ResolutionError.self) { try one.publish() }
        one.discard()
        let another = StagedChange(of: container, inPlace: true)
        let registry = ModuleRegistry.of("Another") { $0.contribute(to: point) { _ in (1, "Lamp") } }
        #expect(throws: ResolutionError.self) { try another.add(registry) }
        another.discard()
        #expect(container.mismatchedContributions.isEmpty)

        let both = StagedChange(of: container)
        for scope in former { both.remove(scope) }
        for registry in next { try both.add(registry) }
        try both.publish()
        #expect(container.contributionResults(to: point).map(\.module) == ["Catalog", "Outlet"])
    }

    @Test("Modules that agree, and points of other names, are no mismatch")
    func agree() throws {
        try offer()
        try offer("Outlet")
        try container.add(module: "Other") { registry in
            registry.contribute(to: ContributionPoint<Product>("others")) { _ in (2, "Desk") }
        }

        #expect(container.mismatchedContributions.isEmpty)
        #expect(try verify().findings.isEmpty)
    }
}
