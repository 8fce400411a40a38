// Values that are awaited and are to belong to a stack entry, which is built at once.
// A function for each, since a call reports one error.
// error: type 'AsynchronousLifetime' has no member 'entry'
// error: cannot convert value of type 'Lifetime' to expected argument type 'AsynchronousLifetime'
// error: 'AsynchronousLifetime' initializer is inaccessible due to 'internal' protection level
import AtriumKit

final class PriceRepository {}
struct FindPrices {}
final class Basket {}

@MainActor func repository(in registry: ModuleRegistry) {
    registry.repository(PriceRepository.self, lifetime: .entry, awaiting: { _ in PriceRepository() })
}

@MainActor func useCase(in registry: ModuleRegistry) {
    registry.useCase(FindPrices.self, lifetime: Lifetime.entry, awaiting: { _ in FindPrices() })
}

@MainActor func aggregateModel(in registry: ModuleRegistry) {
    registry.aggregateModel(
        Basket.self, lifetime: AsynchronousLifetime(lifetime: .entry), awaiting: { _ in Basket() })
}
