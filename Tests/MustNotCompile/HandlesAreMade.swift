// Providers, lazy and weak handles that no context gave.
// error: 'Provider<Value>' initializer is inaccessible due to 'internal' protection level
// error: 'Lazy<Value>' initializer is inaccessible due to 'internal' protection level
// error: 'Weak<Value>' initializer is inaccessible due to 'internal' protection level
// error: 'request' is inaccessible due to 'private' protection level
// error: 'sharedBox' is inaccessible due to 'internal' protection level
import AtriumKit

final class PriceRepository {}
func conjured<Value: ~Copyable>() -> Value { fatalError() }

@MainActor func make(_ provider: Provider<PriceRepository>) {
    _ = Provider(PriceRepository.self, named: nil, RepositoryContext.self, conjured())
    _ = Lazy(provider)
    _ = Weak(provider)
    _ = provider.request
    _ = provider.sharedBox
}
