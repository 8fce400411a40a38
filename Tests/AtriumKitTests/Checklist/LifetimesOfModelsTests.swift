import Observation
import Testing

@_spi(Host) @testable import AtriumKit

/// How a list is shown; each view model has its own.
private final class Columns {
    var width = 20
}

/// Shared by all screens of its context.
@Observable
private final class Cart {
    var items: [String] = []
}

/// Belongs to one stack entry.
private final class Draft {}

private final class CartViewModel: ViewModel {
    let columns = Columns()
    let draft: Draft
    let cart: Cart

    init(draft: Draft, cart: Cart) {
        self.draft = draft
        self.cart = cart
    }
}

private struct CartView: View {
    let top: CartViewModel
    let bottom: CartViewModel

    var body: Content {
        Table(top.cart.items) { Column("item") { $0 } }
    }
}

private struct CartPlace: Destination {
    static let pattern: LinkPattern = "cart"
}

@Suite("The three lifetimes of models: per view model, per stack entry, shared")
@MainActor
struct LifetimesOfModelsTests {
    private let container = Container(environment: .mock)

    private func addCart(cart: Bool = true) throws -> ScreenRegistration {
        let registry = try container.add(module: "Shop") { registry in
            registry.repository(Draft.self, lifetime: .entry) { _ in Draft() }
            if cart { registry.aggregateModel(Cart.self) { _ in Cart() } }
            registry.viewModel(CartViewModel.self) {
                CartViewModel(draft: try $0.repository(), cart: try $0.aggregateModel())
            }
            registry.screen(CartPlace.self) {
                CartView(top: try $0.viewModel(), bottom: try $0.viewModel())
            }
        }.registry
        return try #require(registry.screens.first)
    }

    private func build(_ screen: ScreenRegistration) throws -> CartView {
        try #require(try screen.build(CartPlace(), in: container).view as? CartView)
    }

    @Test("Two view models on one screen don't share their own state")
    func own() throws {
        let view = try build(try addCart())

        view.top.columns.width = 40

        #expect(view.top.columns !== view.bottom.columns)
        #expect(view.bottom.columns.width == 20)
    }

    @Test("A model with lifetime 'entry' is shared within a screen, and not with the next screen")
    func entry() throws {
        let cart = try addCart()

        let (first, second) = (try build(cart), try build(cart))

        #expect(first.top.draft === first.bottom.draft)
        #expect(first.top.draft !== second.top.draft)
    }

    @Test("A shared model is the same on every screen; a change made on one shows on the other")
    func shared() throws {
        let cart = try addCart()
        let (first, second) = (try build(cart), try build(cart))

        first.top.cart.items.append("lamp")

        #expect(first.top.cart === second.bottom.cart)
        #expect(second.body.json["rows"] == [["item": "lamp"]])
    }

    @Test("Containers of different environments have separate shared models")
    func environments() throws {
        let other = Container(environment: .local)
        for container in [container, other] {
            try container.add(module: "Shop") { $0.aggregateModel(Cart.self) { _ in Cart() } }
        }

        let here = try container.resolve(Cart.self, .aggregateModel)
        let there = try other.resolve(Cart.self, .aggregateModel)

        #expect(here !== there)
        #expect(try container.resolve(Cart.self, .aggregateModel) === here)
    }

    @Test("A shared model is built when a screen first needs it, and outlives the screen")
    func lazily() throws {
        let cart = try addCart()
        #expect(container.graph.nodes.first { $0.name == "Cart" }?.isBuilt == false)

        var view: CartView? = try build(cart)
        weak let kept = view?.top.cart
        weak let left = view?.top
        view = nil

        #expect(kept != nil)
        #expect(left == nil)
        #expect(try build(cart).top.cart === kept)
    }

    @Test("The error about a missing shared model names its dependents and the module that would provide it")
    func missing() throws {
        let cart = try addCart(cart: false)
        container.explainMissing = { name in
            name == "Cart"
                ? Container.MissingProvider(
                    message: "module 'Carts' would, but it is failed", hint: "module Carts")
                : nil
        }

        let error = #expect(throws: ResolutionError.self) { try build(cart) }

        #expect(error?.code == .notRegistered)
        #expect(
            error?.message
                == "No active module registers Cart as an aggregate model; module 'Carts' would, "
                + "but it is failed: cart → CartViewModel → Cart.")
        #expect(error?.hint == "module Carts")
    }

    @Test("A screen can be built once the module with its shared model is added")
    func arrived() throws {
        let cart = try addCart(cart: false)
        #expect(throws: ResolutionError.self) { try build(cart) }

        try container.add(module: "Shop", generation: 2) { $0.aggregateModel(Cart.self) { _ in Cart() } }

        #expect(try build(cart).top.cart.items == [])
    }
}
