import AtriumKit

/// Invented products, forgotten when the host ends; in scenario edge with names and prices at their limits.
actor MockProductService: ProductService {
    private let behavior: MockBehavior
    private var usual = [
        Product(id: 1, name: "Red chair", price: Price(cents: 12_000)),
        Product(id: 2, name: "Blue lamp", price: Price(cents: 4_900)),
        Product(id: 3, name: "Old desk", price: Price(cents: 25_050), availability: .soldOut),
    ]
    private var edge = [
        Product(id: 1, name: String(repeating: "Lamp ", count: 20), price: Price(cents: 100_000_000)),
        Product(id: 2, name: "Zażółć 灯 💡", price: Price(cents: 1), availability: .soldOut),
    ]
    private var list: [Product] {
        get { behavior.scenario.kind == .edge ? edge : usual }
        set { if behavior.scenario.kind == .edge { edge = newValue } else { usual = newValue } }
    }

    init(behavior: MockBehavior) {
        self.behavior = behavior
    }

    func products() async throws -> [Product] {
        try await play("products")
        return list
    }

    func add(_ draft: ProductDraft) async throws -> Product {
        try await play("add", ["name": draft.name])
        guard !list.contains(where: { $0.name == draft.name }) else {
            throw ServiceError.duplicate(draft.name)
        }
        let product = Product(id: list.count + 1, name: draft.name, price: draft.price)
        list.append(product)
        return product
    }

    func mark(_ id: Int, _ availability: Availability) async throws {
        try await play("mark", ["id": "\(id)", "availability": availability.rawValue])
        guard let index = list.firstIndex(where: { $0.id == id }) else { throw ServiceError.noProduct(id) }
        list[index].availability = availability
    }

    private func play(_ call: String, _ arguments: [String: String] = [:]) async throws {
        try await behavior.play(
            call, arguments,
            failingWith: ServiceError.unavailable("The product service", mock: "ProductService"))
    }
}
