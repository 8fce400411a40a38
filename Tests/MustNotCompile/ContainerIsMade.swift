// A module that creates a container or a child container.
// error: cannot find 'Container' in scope
// error: cannot find 'StagedChange' in scope
// error: module 'AtriumKit' has no member named 'Container'
import AtriumKit

@MainActor func register(in registry: ModuleRegistry) {
    _ = Container(environment: Environment.mock)
    _ = StagedChange(of: 7)
    _ = AtriumKit.Container(environment: Environment.mock)
}
