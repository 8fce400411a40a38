// A registry created by a module.
// error: 'ModuleRegistry' initializer is inaccessible due to '@_spi' protection level
import AtriumKit

func conjured<Value: ~Copyable>() -> Value { fatalError() }

@MainActor func registry(_ lent: ModuleRegistry) -> ModuleRegistry {
    ModuleRegistry(scope: conjured())
}
