import Testing

@_spi(Host) @testable import AtriumKit

private final class ClockViewModel: ViewModel {}

private struct ClockView: View {
    let viewModel: ClockViewModel
    var body: Content { Title("Clock") }
}

private struct ClockPlace: Destination {
    static let pattern: LinkPattern = "clock"
    static let name = "the clock"
    static let version = 2
}

@Suite("Screens and their registrations")
@MainActor
struct ScreenTests {
    private let container = Container(environment: .mock)

    private func registration(_ register: (ModuleRegistry) -> Void) throws -> ScreenRegistration {
        try #require(try container.add(register).registry.screens.first)
    }

    private func build(_ registration: ScreenRegistration, _ destination: any Destination) throws -> Screen {
        try registration.build(destination, in: container, navigator: StationaryNavigator())
    }

    @Test("A registration has its destination's name, version and module, and reads its links and JSON")
    func registration() throws {
        let clock = try registration { registry in
            registry.viewModel(ClockViewModel.self) { _ in ClockViewModel() }
            registry.screen(ClockPlace.self) { ClockView(viewModel: try $0.viewModel()) }
        }

        #expect((clock.name, clock.version, clock.module) == ("the clock", 2, "Catalog"))
        #expect(try clock.destination(Link("clock")) as? ClockPlace == ClockPlace())
        #expect(try clock.destination(Link("other")) == nil)
        #expect(try clock.restore(properties: "{}", version: 2) as? ClockPlace == ClockPlace())
    }

    @Test("A view model lives as long as its screen")
    func release() throws {
        let registration = try registration(Shop.register)
        var screen: Screen? = try build(registration, PriceList(category: "lamps"))
        weak let viewModel = (screen?.view as? PriceView)?.viewModel
        #expect(viewModel != nil)

        screen = nil

        #expect(viewModel == nil)
    }

    @Test("Each screen has its own view models")
    func twoScreens() throws {
        let registration = try registration(Shop.register)

        let first = try build(registration, PriceList(category: "lamps")).view as? PriceView
        let second = try build(registration, PriceList(category: "lamps")).view as? PriceView

        #expect(first != nil && second != nil)
        #expect(first?.viewModel !== second?.viewModel)
        #expect(first?.viewModel.basket === second?.viewModel.basket)
    }

    @Test("State that a view model saved is restored in the next one")
    func savedState() throws {
        let registration = try registration(Shop.register)
        let first = try build(registration, PriceList(category: "lamps"))
        (first.view as? PriceView)?.viewModel.page = 7

        let saved = try #require(try first.viewModels[0].saveState())
        let second = try build(registration, PriceList(category: "lamps"))
        try second.viewModels[0].restoreState(saved)

        #expect(saved == #"{"page":7}"#)
        #expect((second.view as? PriceView)?.viewModel.page == 7)
    }

    @Test(
        "Saved state of the wrong form is refused and changes nothing",
        arguments: ["", "{}", "[1]", #"{"page":"x"}"#])
    func otherState(_ state: String) throws {
        let screen = try build(try registration(Shop.register), PriceList(category: "lamps"))

        #expect(throws: (any Error).self) { try screen.viewModels[0].restoreState(state) }

        #expect((screen.view as? PriceView)?.viewModel.page == 1)
    }

    @Test("A view model without saved state saves none, and ignores restored state")
    func noSavedState() throws {
        let registration = try registration { registry in
            registry.viewModel(ClockViewModel.self) { _ in ClockViewModel() }
            registry.screen(ClockPlace.self) { ClockView(viewModel: try $0.viewModel()) }
        }

        let screen = try build(registration, ClockPlace())

        #expect(try screen.viewModels[0].saveState() == nil)
        #expect(throws: Never.self) { try screen.viewModels[0].restoreState("anything") }
    }

    // MARK: - In one call

    private static func registerPrices(in registry: ModuleRegistry) {
        registry.screen(PriceList.self) { context, destination in
            PriceViewModel(
                basket: try context.aggregateModel(), navigator: context.navigator,
                category: destination.category)
        } view: {
            PriceView(viewModel: $0)
        }
    }

    @Test("One call registers the same keys as two, and passes the destination to the view model")
    func oneCall() throws {
        let apart = ModuleRegistry(scope: .named("Catalog"))
        Shop.registerUpperLayers(in: apart)
        let registration = try registration { registry in
            Shop.registerLowerLayers(in: registry)
            Self.registerPrices(in: registry)
            #expect(registry.registrations.suffix(2).map(\.key) == apart.registrations.suffix(2).map(\.key))
        }

        let first = try build(registration, PriceList(category: "lamps"))
        let second = try build(registration, PriceList(category: "chairs"))

        let views = [first, second].compactMap { $0.view as? PriceView }
        #expect(views.map(\.viewModel.category) == ["lamps", "chairs"])
        #expect(views.first?.viewModel.basket === views.last?.viewModel.basket)
        #expect([first, second].map(\.viewModels.count) == [1, 1])
    }

    @Test("A view model of one call lives as long as its screen, and its saved state is restored")
    func lifeOfOneCall() throws {
        let registration = try registration { registry in
            Shop.registerLowerLayers(in: registry)
            Self.registerPrices(in: registry)
        }
        var screen: Screen? = try build(registration, PriceList(category: "lamps"))
        weak let viewModel = (screen?.view as? PriceView)?.viewModel
        viewModel?.page = 7
        let saved = try #require(try screen?.viewModels[0].saveState())

        screen = nil

        #expect(viewModel == nil)
        let next = try build(registration, PriceList(category: "lamps"))
        try next.viewModels[0].restoreState(saved)
        #expect((next.view as? PriceView)?.viewModel.page == 7)
    }

    @Test("A view model that is registered with two screens is a duplicate")
    func viewModelOfTwoScreens() {
        let registry = ModuleRegistry(scope: .named("Catalog"))
        Self.registerPrices(in: registry)

        registry.screen(ClockPlace.self) { context, _ in
            PriceViewModel(basket: try context.aggregateModel(), navigator: context.navigator, category: "")
        } view: {
            PriceView(viewModel: $0)
        }

        #expect(registry.findings.map(\.code) == [.duplicate])
    }
}
