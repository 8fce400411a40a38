// A factory that declares its context as consuming instead of borrowing. Swift 6.3.1 reports this as a
// compiler bug, which is an error as well.
// error: copy of noncopyable typed value
import AtriumKit

final class PriceRepository {}

@MainActor func make(_ context: consuming RepositoryContext) -> PriceRepository { PriceRepository() }

@MainActor func register(in registry: ModuleRegistry) {
    registry.repository(PriceRepository.self, make)
}
