import AtriumKit

/// All products; its link is `catalog`.
struct CatalogDestination: Destination {
    static let pattern: LinkPattern = "catalog"
}

/// Lists the products and adds new ones.
struct CatalogView: View {
    let viewModel: CatalogViewModel

    var body: Content {
        Title("Catalog")
        Table(viewModel.products) {
            Column("name") { $0.name }
            Column("cents", label: "Price in cents") { $0.cents }
        }
        if viewModel.products.isEmpty {
            Notice(.information, "There are no products yet.", hint: "catalog add --name NAME --cents CENTS")
        }
    }

    var actions: [Action] {
        Action("add", "Adds a product", Argument<String>("name"), Argument<Int>("cents")) { name, cents in
            try await viewModel.add(name: name, cents: cents)
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
