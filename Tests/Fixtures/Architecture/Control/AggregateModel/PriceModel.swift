@MainActor
final class PriceModel {
    private let repository: PriceRepository
    private(set) var prices: [Price] = []

    init(repository: PriceRepository) {
        self.repository = repository
    }
}
