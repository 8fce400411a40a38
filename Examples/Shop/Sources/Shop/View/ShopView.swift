import AtriumKit

/// Lists what can be bought.
struct ShopView: View {
    let viewModel: ShopViewModel

    var body: Content {
        Title("Shop")
        Table(viewModel.offers) {
            Column("id") { $0.id }
            Column("name") { $0.name }
            Column("price") { viewModel.price(of: $0) }
            Column("cents", isHidden: true) { $0.cents }
            Column("available") { $0.isAvailable }
        }
        Summary(summary, ["total": viewModel.offers.count])
        if viewModel.offers.isEmpty {
            Notice(.information, "There is nothing to buy yet.", hint: "catalog add NAME PRICE")
        }
    }

    private var summary: String? {
        switch viewModel.offers.count {
        case 0: nil
        case 1: "1 product"
        case let count: "\(count) products"
        }
    }

    var actions: [Action] {
        Action(
            "show", "Show a product, to buy it", effect: .navigates,
            Argument<Int>("id", "Its number in the list")
        ) { id in
            try await viewModel.show(id)
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
