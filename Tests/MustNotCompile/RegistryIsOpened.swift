// Registrations read back from a registry.
// error: 'registrations' is inaccessible due to 'internal' protection level
// error: 'scope' is inaccessible due to 'private' protection level
// error: 'screens' is inaccessible due to '@_spi' protection level
// error: 'add' is inaccessible due to 'internal' protection level
import AtriumKit

func conjured<Value: ~Copyable>() -> Value { fatalError() }

@MainActor func peek(into registry: ModuleRegistry) {
    _ = registry.registrations
    _ = registry.scope
    _ = registry.screens
    registry.add(conjured())
}
