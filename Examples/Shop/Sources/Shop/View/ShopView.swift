import AtriumKit

/// What can be bought.
struct ShopDestination: Destination {
    static let pattern: LinkPattern = "shop"
}

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
        let count = viewModel.offers.count
        Summary(
            count == 0 ? nil : RecordNoun("product").counted(count), ["total": count])
        if count == 0 {
            Notice(.information, "There is nothing to buy yet.", hint: "catalog add NAME PRICE")
        }
    }

    var actions: [Action] {
        Action(
            "show", "Show a product, to buy it", effect: .navigates,
            Argument<Int>("id", "Its number in the list")
        ) { try await viewModel.show($0) }
    }

    func load() async throws { try await viewModel.load() }
}
