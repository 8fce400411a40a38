import AtriumKit

@MainActor
protocol FindProducts {
    /// The products with a text in their name and with values of fields, by name; nil excludes none.
    func callAsFunction(search: String?, filters: [String: String]) async throws -> [Product]
}

struct FindProductsInCatalog: FindProducts {
    let products: RecordRepository<Product>

    func callAsFunction(search: String?, filters: [String: String]) async throws -> [Product] {
        let rule = TextRule(subject: "The search text", maximum: 100, isRequired: false)
        let problems = rule.problems(of: search ?? "")
        try ValidationError.check(problems.map { ValidationFinding($0, field: "search") })
        var query = RecordQuery<Product>(filters: filters)
        query.search = search?.trimmed.nilIfEmpty
        return try await products.all(query)
    }
}
