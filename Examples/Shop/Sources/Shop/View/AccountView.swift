import AtriumKit

/// What the signed-in user pays with and has bought.
struct AccountDestination: Destination {
    static let pattern: LinkPattern = "shop/account"
    static let guards: [GuardName] = [.signedIn]
}

struct AccountView: View {
    let viewModel: AccountViewModel

    var body: Content {
        Title("Shop account")
        Field("method", viewModel.method)
        Field("expires", viewModel.wallet?.expires)
        Field("limit", viewModel.wallet?.limit.euros)
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

    var actions: [Action] {
        Action(
            "save", "Pay with a card", Argument<Expiry>("expires", "The month on the card"),
            Argument<String>("number", "The number of the card", isSecret: true)
        ) { try await viewModel.save($1, expires: $0) }
        Action("limit", "Limit what a purchase may cost", Argument<Money>("euros", "From 1 to 10000")) {
            try await viewModel.setLimit($0)
        }
    }

    func load() async throws { try await viewModel.load() }
}
