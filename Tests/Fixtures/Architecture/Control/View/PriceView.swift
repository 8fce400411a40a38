import AtriumKit

struct PriceList: Destination {
    static let pattern: LinkPattern = "prices"
}

// PriceRepository and LocalPriceService in a comment or a string are not references.
struct PriceView: View {
    let viewModel: PriceViewModel

    var body: Content {
        Title("PriceRepository")
        if let failure = viewModel.failure { Text(failure.message) }
        Table(viewModel.prices) { Column("cents") { $0.cents } }
    }
}
