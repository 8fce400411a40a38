@MainActor
struct FindPrices {
    let repository: PriceRepository

    func callAsFunction(below limit: Int) async throws -> [Price] {
        try await repository.all().filter { $0.cents < limit }
    }
}
