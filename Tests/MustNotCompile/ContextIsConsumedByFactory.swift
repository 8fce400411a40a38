// A factory that declares to take its context instead of borrowing it.
// Swift 6.3.1 calls this a bug of its own; it is an error all the same.
// error: copy of noncopyable typed value
import AtriumKit

final class PriceRepository {}

@MainActor func make(_ context: consuming RepositoryContext) -> PriceRepository { PriceRepository() }

@MainActor func register(in registry: ModuleRegistry) {
    registry.repository(PriceRepository.self, make)
}
