// A response used as another type than its endpoint declares.
// error: cannot convert return expression of type 'PriceAnswer' to return type 'StockAnswer'
import AtriumKit

struct PriceAnswer: Decodable, Sendable { let cents: Int }
struct StockAnswer: Decodable, Sendable { let pieces: Int }

extension Endpoint where Answer == PriceAnswer {
    static func price(_ id: Int) -> Self { Endpoint(.get, "v1/prices/:id", ["id": "\(id)"]) }
}

func stock(of id: Int, _ api: any APIClient) async throws -> StockAnswer {
    let endpoint = Endpoint<PriceAnswer>.price(id)
    return try await api.request(endpoint)
}
