protocol PriceService: Sendable {
    func cents() async throws -> Int
}

struct MockPriceService: PriceService {
    func cents() async throws -> Int {
        // error: [service-to-service] a service refers to the service 'MockStockService';
        //        let a repository ask both, one after the other
        MockStockService().count()
    }
}

struct LocalPriceService: PriceService {
    // error: [service-to-service] a service refers to the service 'StockService';
    //        let a repository ask both, one after the other
    let stock: any StockService

    func cents() async throws -> Int {
        // error: [service-to-service] a service refers to the service 'StockService';
        //        let a repository ask both, one after the other
        try await stock.count() + Rounding.cents
    }
}

// A mock may call the local implementation of its own protocol.
struct MockExportPriceService: PriceService {
    let local: LocalPriceService

    func cents() async throws -> Int { try await local.cents() + 1 }
}

// A helper is not a service.
enum Rounding {
    static let cents = 5
}
