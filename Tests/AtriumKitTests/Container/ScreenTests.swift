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
}
