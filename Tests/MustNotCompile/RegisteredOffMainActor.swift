// A registration off the main actor.
// error: call to main actor-isolated instance method
import AtriumKit

final class PriceRepository {}

nonisolated func register(in registry: ModuleRegistry) {
    registry.repository(PriceRepository.self) { _ in PriceRepository() }
}
