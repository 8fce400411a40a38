import AtriumKit

/// Products at a server.
struct LiveProductService: ProductService {
    let api: any APIClient

    func products() async throws -> [Product] {
        try await ServiceError.explaining("The products could not be read") {
            try await api.request(.products).map(\.product)
        }
    }

    func add(_ draft: ProductDraft) async throws -> Product {
        do {
            return try await api.request(.add(draft)).product
        } catch let error as APIError where error.status == 409 {
            throw ServiceError.duplicate(draft.name).because(of: error)
        } catch { throw ServiceError.explain(error, "The product could not be added") }
    }

    func mark(_ id: Int, _ availability: Availability) async throws {
        do {
            _ = try await api.request(.mark(id, availability))
        } catch let error as APIError where error.status == 404 {
            throw ServiceError.noProduct(id).because(of: error)
        } catch { throw ServiceError.explain(error, "The product could not be changed") }
    }
}

// The server's API, with names and types as they are on the wire.

struct ProductAnswer: Codable, Sendable {
    let id: Int
    let name: String
    @Bounded<Price.Limits> private(set) var cents: Int
    var available: Bool

    var product: Product {
        Product(
            id: id, name: name, price: Price(cents: cents), availability: available ? .available : .soldOut)
    }
}

struct ProductBody: Codable, Sendable {
    let name: String
    @Bounded<Price.Limits> private(set) var cents: Int
}

extension Endpoint where Answer == [ProductAnswer] {
    static var products: Self { Endpoint(.get, "v1/products") }
}

extension Endpoint where Answer == ProductAnswer {
    static func add(_ draft: ProductDraft) -> Self {
        Endpoint(
            .post, "v1/products", body: .json(ProductBody(name: draft.name, cents: draft.price.cents)))
    }
}

extension Endpoint where Answer == NoAnswer {
    static func mark(_ id: Int, _ availability: Availability) -> Self {
        Endpoint(
            .put, "v1/products/:id/available", ["id": "\(id)"], body: .json(availability == .available))
    }
}
