import AtriumKit

/// Which products are listed; a part that is nil excludes none.
struct ProductFilter: Codable, Hashable, Sendable {
    let search: String?
    let availability: Availability?

    init(search: String? = nil, availability: Availability? = nil) {
        self.search = search?.trimmed.nilIfEmpty
        self.availability = availability
    }

    func validate() -> [ValidationFinding] {
        TextRule(subject: "The search text", maximum: 100, isRequired: false).problems(of: search ?? "").map {
            ValidationFinding($0, field: "search")
        }
    }

    func matches(_ product: Product) -> Bool {
        if let availability, product.availability != availability { return false }
        guard let search else { return true }
        return product.name.lowercased().contains(search.lowercased())
    }
}
