import AtriumKit

/// The products; the link is `catalog`, or `catalog?search=lamp&availability=available`.
typealias CatalogDestination = RecordListDestination<Product>

/// Lists the products and adds new ones.
struct CatalogView: View {
    let viewModel: CatalogViewModel
    let presentation: CatalogPresentation

    var body: Content {
        Title("Catalog")
        Table(viewModel.rows) {
            if !presentation.isCompact { Column("id") { $0.id } }
            Column("name") { $0.name }
            Column("price") { viewModel.price(of: $0) }
            Column("cents", isHidden: true) { $0.price.hundredths }
            if !presentation.isCompact { Column("availability") { $0.availability.displayText } }
        }
        Summary(
            viewModel.rows.isEmpty ? nil : summary,
            [
                "total": viewModel.rows.count, "search": viewModel.shown.search,
                "availability": viewModel.shown.filters["availability"],
            ])
        if viewModel.rows.isEmpty { nothing }
    }

    /// `2 available products with 'lamp', by name`.
    private var summary: String {
        let count = viewModel.rows.count
        let availability = viewModel.shown.filters["availability"].map { "\($0) " } ?? ""
        let search = viewModel.shown.search.map { " with '\($0)'" } ?? ""
        return "\(count) \(availability)\(count == 1 ? "product" : "products")\(search), by name"
    }

    private var nothing: Notice {
        viewModel.shown == CatalogDestination()
            ? Notice(.information, "There are no products yet.", hint: "catalog add NAME PRICE")
            : Notice(.information, "No product matches.", hint: "catalog list")
    }

    var actions: [Action] {
        Action(
            "list", "List other products", effect: .reads, loadsFirst: false,
            Argument<String?>("search", "Only with this text in their name, in any case"),
            Argument<Availability?>("availability", "Only available ones, or only those that are sold out")
        ) { try await viewModel.list(search: $0, availability: $1) }
        Action(
            "add", "Add a product", loadsFirst: false,
            Argument<String>("name", "Its name, at most 100 characters"),
            Argument<Money>("price", "What it costs, such as 49.00")
        ) { try await viewModel.add($0, price: $1) }
        Action(
            "mark", "Say whether a product can be bought", loadsFirst: false,
            Argument<Int>("id", "Its number in the list"),
            Argument<Availability>("availability", "Whether it is available")
        ) { try await viewModel.mark($0, $1) }
        Action("compact", "Show fewer columns, or all of them again", effect: .reads) {
            presentation.toggleCompact()
        }
    }

    func load() async throws { try await viewModel.load() }
}
