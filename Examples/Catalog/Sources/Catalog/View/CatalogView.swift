import AtriumKit

/// The products; the link is `catalog`, or `catalog?search=lamp&availability=available`.
struct CatalogDestination: Destination {
    static let pattern: LinkPattern = "catalog"

    var search: String?
    var availability: Availability?
}

/// Lists the products and adds new ones.
struct CatalogView: View {
    let viewModel: CatalogViewModel
    let presentation: CatalogPresentation

    var body: Content {
        Title("Catalog")
        Table(viewModel.rows) {
            if !presentation.isCompact { Column("id") { $0.id } }
            Column("name") { $0.name }
            Column("price") { $0.price }
            Column("cents", isHidden: true) { $0.cents }
            if !presentation.isCompact { Column("availability") { $0.availability } }
        }
        Summary(
            viewModel.rows.isEmpty ? nil : summary,
            [
                "total": viewModel.rows.count, "search": viewModel.filter.search,
                "availability": viewModel.filter.availability?.rawValue,
            ])
        if viewModel.rows.isEmpty { nothing }
    }

    /// `2 available products with 'lamp', by name`.
    private var summary: String {
        let count = viewModel.rows.count
        let words = ["\(count)", viewModel.filter.availability?.words, count == 1 ? "product" : "products"]
        let what = words.compactMap { $0 }.joined(separator: " ")
        let filter = viewModel.filter.search.map { " with '\($0)'" } ?? ""
        return "\(what)\(filter), by name"
    }

    private var nothing: Notice {
        viewModel.filter == ProductFilter()
            ? Notice(.information, "There are no products yet.", hint: "catalog add NAME PRICE")
            : Notice(.information, "No product matches.", hint: "catalog list")
    }

    var actions: [Action] {
        Action(
            "list", "List other products", effect: .reads, loadsFirst: false,
            Argument<String?>("search", "Only with this text in their name, in any case"),
            Argument<Availability?>("availability", "Only available ones, or only those that are sold out")
        ) { search, availability in
            try await viewModel.list(search: search, availability: availability)
        }
        Action(
            "add", "Add a product", loadsFirst: false,
            Argument<String>("name", "Its name, at most 100 characters"),
            Argument<Price>("price", "What it costs, such as 49.00")
        ) { name, price in
            try await viewModel.add(name: name, price: price)
        }
        Action(
            "mark", "Say whether a product can be bought", loadsFirst: false,
            Argument<Int>("id", "Its number in the list"),
            Argument<Availability>("availability", "Whether it is available")
        ) { id, availability in
            try await viewModel.mark(id, availability)
        }
        Action("compact", "Show fewer columns, or all of them again", effect: .reads) {
            presentation.toggleCompact()
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}

extension Availability: ArgumentValue {}

extension Price: ArgumentValue {
    static var argumentTypeName: String { "an amount such as 49.00" }
    init?(argument: String) { self.init(argument) }
    var argumentText: String { decimal }
}
