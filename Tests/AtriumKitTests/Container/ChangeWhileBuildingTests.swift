import Testing

@_spi(Host) @testable import AtriumKit

private final class Lamp {}

private final class Catalogue {
    let names: [String]
    init(_ names: [String]) { self.names = names }
}

private final class Shelf {
    let catalogue: Catalogue
    init(_ catalogue: Catalogue) { self.catalogue = catalogue }
}

private final class CatalogueModel: ViewModel {
    let names: [String]
    init(_ names: [String]) { self.names = names }
}

private struct CatalogueView: View {
    let model: CatalogueModel
    var body: Content { Title("Catalogue") }
}

private struct CataloguePlace: Destination {
    static let pattern: LinkPattern = "catalogue"
}

extension ContributionPoint where Element == String {
    fileprivate static var products: ContributionPoint<String> { ContributionPoint("products") }
}

/// Whether factories resolve the lamp, and whether the request of the first that did was still alive.
@MainActor private final class Notes {
    var usesLamp = false
    var isRequestAlive: Bool?
}

@Suite("Changes to the container while a factory runs")
@MainActor
struct ChangeWhileBuildingTests {
    private let container = Container(environment: .mock)
    private let notes = Notes()

    init() {
        container.loadOnDemand = { [unowned container] name, _ in
            guard name == "Lamp" else { return false }
            return
                (try? container.add(module: "Lamps") { registry in
                    registry.repository(Lamp.self) { _ in Lamp() }
                    registry.contribute(to: .products) { _ in "lamp" }
                }) != nil
        }
    }

    @Test("A shared value is rebuilt if its factory loads a contributor to a list that it has read")
    func shared() throws {
        try container.add(module: "Shop", requires: ["Lamps"]) { registry in
            registry.aggregateModel(Catalogue.self) { context in
                let names = try context.contributions(to: .products).map(\.value)
                _ = try context.repository(Lamp.self)
                return Catalogue(names)
            }
        }

        let first = try container.resolve(Catalogue.self, .aggregateModel)
        let second = try container.resolve(Catalogue.self, .aggregateModel)

        #expect(first.names == ["lamp"])
        #expect(first === second)
    }

    @Test("Dependents of a value whose factory loaded a contributor see the contribution and depend on it")
    func holder() throws {
        try container.add(module: "Shop", requires: ["Lamps"]) { registry in
            registry.useCase(Catalogue.self, lifetime: .shared) { context in
                let names = try context.contributions(to: .products).map(\.value)
                _ = try context.repository(Lamp.self)
                return Catalogue(names)
            }
            registry.aggregateModel(Shelf.self) { Shelf(try $0.useCase()) }
        }

        let shelf = try container.resolve(Shelf.self, .aggregateModel)
        let owner = try #require(container.registration(RegistrationKey(Lamp.self, .repository))?.owner)
        let change = container.remove(owner)

        #expect(shelf.catalogue.names == ["lamp"])
        #expect(Set(change.affected.map(\.name)).isSuperset(of: ["Catalogue", "Shelf"]))
    }

    @Test("A change while inlined code builds a view model keeps its request alive and shows on the screen")
    func inlined() throws {
        let notes = notes
        let screen = try container.add(module: "Shop", requires: ["Lamps"]) { registry in
            registry.viewModel(CatalogueModel.self) { context in
                let names = try context.contributions(to: .products).map(\.value)
                guard notes.usesLamp else { return CatalogueModel(names) }
                weak let request = context.core.requester
                _ = try context.repository(Lamp.self)
                notes.isRequestAlive = notes.isRequestAlive ?? (request != nil)
                return CatalogueModel(names)
            }
            registry.screen(CataloguePlace.self) { CatalogueView(model: try $0.viewModel()) }
        }.registry.screens[0]
        for _ in 0..<3 { _ = try screen.build(CataloguePlace(), in: container) }
        notes.usesLamp = true

        let view = try screen.build(CataloguePlace(), in: container).view as? CatalogueView

        #expect(notes.isRequestAlive == true)
        #expect(view?.model.names == ["lamp"])
    }
}
