// Providers created by a module.
// error: 'Provider<Value>' initializer is inaccessible due to 'internal' protection level
// error: 'request' is inaccessible due to 'private' protection level
import AtriumKit

final class PriceRepository {}
func conjured<Value: ~Copyable>() -> Value { fatalError() }

@MainActor func make(_ provider: Provider<PriceRepository>) {
    _ = Provider(PriceRepository.self, named: nil, RepositoryContext.self, conjured())
    _ = provider.request
}
