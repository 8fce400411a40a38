import AtriumKit
import Observation

@MainActor
@Observable
final class PriceViewModel: ViewModel {
    private(set) var prices: [Price] = []
    private(set) var failure: LoadFailure?
    private let repository: PriceRepository
    private let find: FindPrices

    init(repository: PriceRepository, find: FindPrices) {
        self.repository = repository
        self.find = find
    }

    func load() async {
        do {
            prices = try await find(below: 1_000)
        } catch {
            failure = LoadFailure(error)
        }
    }
}
