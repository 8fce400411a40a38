import AtriumKit

/// What can be bought.
struct ShopDestination: Destination { static let pattern: LinkPattern = "shop" }

struct ShopView: View {
    let viewModel: ShopViewModel

    var body: Content {
        Title("Shop")
        Table(viewModel.offers) {
            Column("id") { $0.id }
            Column("name") { $0.name }
            Column("price") { $0.price.euros }
            Column("cents", isHidden: true) { $0.price.hundredths }
            Column("available") { $0.isAvailable }
        }
        Summary(RecordNoun("product").counted(viewModel.offers.count), ["total": viewModel.offers.count])
    }

    func load() async throws { try await viewModel.load() }
}

/// One product, and its purchase.
struct ProductDetail: Destination {
    static let pattern: LinkPattern = "shop/products/:id"
    let id: Int
}

struct ProductView: View {
    let viewModel: ProductViewModel

    var body: Content {
        Title(viewModel.offer?.name ?? "Product")
        if let offer = viewModel.offer {
            Field("id", offer.id)
            Field("price", offer.price.euros)
            Field("available", offer.isAvailable)
            Field("quantity", viewModel.quantity)
            Field("total", viewModel.formattedTotal)
        }
        if viewModel.isBuying { Notice(.information, "The purchase is being made.") }
    }

    var actions: [Action] {
        Action(
            "quantity", "Choose how many to buy", Argument<Int>("number", "How many, from 1 to 100"),
            perform: viewModel.choose)
        Action(
            "buy", "Buy the product", effect: .destroys, asking: viewModel.question, perform: viewModel.buy)
    }

    func load() async throws { try await viewModel.load() }
}
