// A context that a factory returns, as a repository of its own.
// error: instance method 'repository(_:named:lifetime:_:)' requires that 'RepositoryContext' conform to
import AtriumKit

final class PriceRepository {}

@MainActor func register(in registry: ModuleRegistry) {
    registry.repository(RepositoryContext.self) { $0 }
}
