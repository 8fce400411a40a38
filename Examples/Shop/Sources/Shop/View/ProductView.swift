import AtriumKit

/// One product, to buy it.
struct ProductDetail: Destination {
    static let pattern: LinkPattern = "shop/products/:id"

    let id: Int
}

/// One product, and the purchase.
struct ProductView: View {
    let viewModel: ProductViewModel

    var body: Content {
        if let offer = viewModel.offer {
            Title(offer.name)
            Field("id", offer.id)
            Field("price", viewModel.formattedPrice)
            Field("available", offer.isAvailable)
            Field("quantity", viewModel.quantity)
            Field("total", viewModel.formattedTotal)
        } else {
            Text("The product is not loaded.")
        }
        if viewModel.isBuying { Notice(.information, "The purchase is being made.") }
    }

    var actions: [Action] {
        Action(
            "quantity", "Choose how many to buy", Argument<Int>("number", "How many, from 1 to 100")
        ) { try viewModel.choose(quantity: $0) }
        Action("buy", "Buy the product", effect: .destroys, asking: viewModel.question) {
            try await viewModel.buy()
        }
    }

    func load() async throws { try await viewModel.load() }
}
