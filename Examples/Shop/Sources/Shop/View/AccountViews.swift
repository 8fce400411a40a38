import AtriumKit

/// What the signed-in person bought.
struct OrdersDestination: Destination {
    static let pattern: LinkPattern = "shop/orders"
    static let guards: [GuardName] = [.signedIn]
}

/// Lists what was bought.
struct OrdersView: View {
    let viewModel: OrdersViewModel

    var body: Content {
        Title("Orders")
        Table(viewModel.orders) {
            Column("id") { $0.id }
            Column("product") { $0.product }
            Column("quantity") { $0.quantity }
            Column("paid") { $0.paid.euros }
            Column("cents", isHidden: true) { $0.paid.hundredths }
            Column("at") { $0.at }
        }
        Field("total", viewModel.formattedTotal)
        if viewModel.orders.isEmpty { Notice(.information, "You have bought nothing yet.", hint: "shop") }
    }

    func load() async throws { try await viewModel.load() }
}

/// What the signed-in person pays with.
struct PaymentDestination: Destination {
    static let pattern: LinkPattern = "shop/payment"
    static let guards: [GuardName] = [.signedIn]
}

/// The limit of a purchase.
struct SettingsDestination: Destination {
    static let pattern: LinkPattern = "shop/settings"
    static let guards: [GuardName] = [.signedIn]
}

/// Shows the payment method.
struct PaymentView: View {
    let viewModel: WalletViewModel

    var body: Content {
        Title("Payment")
        Field("method", viewModel.method)
        Field("expires", viewModel.wallet?.card?.expiry)
    }

    var actions: [Action] {
        Action(
            "save", "Pay with a card", Argument<Expiry>("expires", "The month on the card"),
            Argument<String>("number", "The number of the card", isSecret: true)
        ) { try await viewModel.save($1, expires: $0) }
    }

    func load() async throws { try await viewModel.load() }
}

/// Shows and sets the limit of a purchase.
struct SettingsView: View {
    let viewModel: WalletViewModel

    var body: Content {
        Title("Shop settings")
        Field("limit", viewModel.limit)
        Field("setBy", viewModel.setBy)
    }

    var actions: [Action] {
        Action(
            "limit", "Limit what a purchase may cost", Argument<Int>("euros", "From 1 to 10000")
        ) { try await viewModel.setLimit($0) }
    }

    func load() async throws { try await viewModel.load() }
}
