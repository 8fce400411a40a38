// A factory that returns its context as a repository.
// error: instance method 'repository(_:named:lifetime:_:)' requires that 'RepositoryContext' conform to
import AtriumKit

final class PriceRepository {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.repository(RepositoryContext.self) { $0 }
}
