import Observation
import Testing

@_spi(Host) @testable import AtriumKit

private struct Order: Hashable {
    var id: Int
    var items: [String]
    var total: Double
}

@Observable
private final class OrderViewModel: ViewModel {
    let order: Order
    @ObservationIgnored private(set) var calls: [String] = []

    init(order: Order) {
        self.order = order
    }

    func load() { calls.append("load") }
    func cancel() { calls.append("cancel") }
}

private struct HeaderView: View {
    let id: Int
    var body: Content { Title("Order \(id)") }
}

private struct ItemsView: View {
    let items: [String]
    var body: Content { Table(items, key: "items") { Column("item") { $0 } } }
}

private struct TotalView: View {
    let total: Double
    var body: Content { Field("total", total) }
}

private struct OrderView: View {
    let viewModel: OrderViewModel

    var body: Content {
        HeaderView(id: viewModel.order.id)
        ItemsView(items: viewModel.order.items)
        TotalView(total: viewModel.order.total)
    }

    var actions: [Action] {
        Action("cancel", "Cancels it") {
            viewModel.cancel()
            return .updated
        }
    }

    func load() async throws {
        viewModel.load()
    }
}

@Suite("Views")
@MainActor
struct ViewTests {
    private let order = Order(id: 7, items: ["lamp", "chair"], total: 12.5)

    private func json(_ view: some View) -> String {
        JSONValue.object(view.body.json).serialized
    }

    @Test("The same state gives the same content, each time and in every view")
    func pure() {
        let viewModel = OrderViewModel(order: order)
        let view = OrderView(viewModel: viewModel)
        let expected =
            #"{"title":"Order 7","items":[{"item":"lamp"},{"item":"chair"}],"total":12.5}"#

        #expect((0..<3).map { _ in json(view) } == [expected, expected, expected])
        #expect(json(OrderView(viewModel: viewModel)) == expected)
        #expect(json(OrderView(viewModel: OrderViewModel(order: order))) == expected)
    }

    @Test("Showing a view and listing its actions neither loads the view nor performs an action")
    func doesNothing() {
        let viewModel = OrderViewModel(order: order)
        let view = OrderView(viewModel: viewModel)

        _ = view.body
        let actions = view.actions

        #expect(actions.map(\.name) == ["cancel"])
        #expect(viewModel.calls == [])
    }

    @Test("A child view shows the same alone and in its parent, whose content is that of its children")
    func composition() {
        let view = OrderView(viewModel: OrderViewModel(order: order))

        #expect(json(HeaderView(id: 7)) == #"{"title":"Order 7"}"#)
        #expect(json(ItemsView(items: order.items)) == #"{"items":[{"item":"lamp"},{"item":"chair"}]}"#)
        #expect(json(TotalView(total: 12.5)) == #"{"total":12.5}"#)
        var merged = HeaderView(id: 7).body.json
        for part in [ItemsView(items: order.items).body.json, TotalView(total: 12.5).body.json] {
            for member in part.members { merged[member.key] = member.value }
        }
        #expect(view.body.json == merged)
        #expect(view.body.blocks.count == 3)
    }

    @Test("An action of a view reaches its view model")
    func action() async throws {
        let viewModel = OrderViewModel(order: order)
        let action = try #require(OrderView(viewModel: viewModel).actions.first)

        _ = try await action.perform(ArgumentValues())

        #expect(viewModel.calls == ["cancel"])
    }
}
