@_spi(Host) import AtriumKit
import AtriumNavigation
import Observation
import Testing

@testable import AtriumCommands

@Observable
private final class CounterViewModel: ViewModel {
    private(set) var count = 0
    private(set) var label = "none"
    private(set) var isEven = true
    @ObservationIgnored private(set) var bodies = 0

    func add() {
        count += 1
        label = "\(count)"
        isEven.toggle()
    }

    func drawn() {
        bodies += 1
    }
}

private struct CounterView: View {
    let viewModel: CounterViewModel

    var body: Content {
        let _: Void = viewModel.drawn()
        Field("count", viewModel.count)
        Field("label", viewModel.label)
        Field("isEven", viewModel.isEven)
    }

    var actions: [Action] {
        Action("add", "Adds one") {
            viewModel.add()
            return .updated
        }
        Action("add-quietly", "Adds one and shows a word") {
            viewModel.add()
            return .content(Content(), "Added.")
        }
    }
}

private struct CounterPlace: Destination {
    static let pattern: LinkPattern = "counter"
}

@Suite("Redraws by commands")
@MainActor
struct RedrawTests {
    private let shop: TestHost

    init() throws {
        shop = try TestHost()
        try shop.add("Counters") { registry in
            registry.viewModel(CounterViewModel.self) { _ in CounterViewModel() }
            registry.screen(CounterPlace.self) { CounterView(viewModel: try $0.viewModel()) }
        }
    }

    private func viewModel() throws -> CounterViewModel {
        try #require((try shop.coordinator.currentScreen()?.view as? CounterView)?.viewModel)
    }

    @Test("A command that shows a screen draws it once, however many properties it changed")
    func once() async throws {
        #expect(try await shop.json("open counter") == #"{"count":0,"label":"none","isEven":true}"#)
        let model = try viewModel()
        #expect(model.bodies == 1)

        #expect(try await shop.json("add") == #"{"count":1,"label":"1","isEven":false}"#)

        #expect(model.bodies == 2)
    }

    @Test("A command that shows something else does not draw the screen")
    func never() async throws {
        _ = try await shop.output("open counter")
        let model = try viewModel()

        _ = try await shop.output("add-quietly")
        _ = try await shop.output("where")
        _ = try await shop.output("actions")

        #expect(model.count == 1)
        #expect(model.bodies == 1)
    }
}
