import AtriumKit

/// Lists what was bought.
struct OrdersView: View {
    let viewModel: OrdersViewModel

    var body: Content {
        Title("Orders")
        Table(viewModel.orders) {
            Column("id") { $0.id }
            Column("product") { $0.product }
            Column("quantity") { $0.quantity }
            Column("paid") { viewModel.paid(for: $0) }
            Column("cents", isHidden: true) { $0.cents }
            Column("at") { $0.at }
        }
        Field("total", viewModel.formattedTotal)
        if viewModel.orders.isEmpty { Notice(.information, "You have bought nothing yet.", hint: "shop") }
    }

    func load() async throws {
        try await viewModel.load()
    }
}

/// Shows the payment method, never its whole number.
struct PaymentView: View {
    let viewModel: PaymentViewModel

    var body: Content {
        Title("Payment")
        Field("method", viewModel.name)
        Field("expires", viewModel.expires)
    }

    var actions: [Action] {
        Action(
            "save", "Pay with a card", Argument<Expiry>("expires", "The month on the card"),
            Argument<String>("number", "The number of the card", isSecret: true)
        ) { expires, number in
            try await viewModel.save(number: number, expires: expires)
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}

/// Shows and sets the limit of a purchase.
struct SettingsView: View {
    let viewModel: SettingsViewModel

    var body: Content {
        Title("Shop settings")
        Field("limit", viewModel.limit)
        if let wallet = viewModel.wallet {
            Field("setBy", wallet.hasOwnLimit ? "you" : "the host")
        }
    }

    var actions: [Action] {
        Action(
            "limit", "Limit what a purchase may cost", Argument<Int>("euros", "From 1 to 10000")
        ) { euros in
            try await viewModel.setLimit(euros)
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}

extension Expiry: ArgumentValue {
    static var argumentTypeName: String { "a month such as 09/27" }
    init?(argument: String) { self.init(argument) }
    var argumentText: String { text }
}
