import AtriumKit

struct PriceList: Destination {
    static let pattern: LinkPattern = "prices"
}

struct PriceView: View {
    let viewModel: PriceViewModel

    var body: Content { Title("Prices") }
}
