import AtriumKit

/// Takes memory in `register` until there is none.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        var blocks: [[UInt8]] = []
        while true {
            // Reserved and not written to, so that a limit is met before the machine's memory is used up.
            blocks.append([])
            blocks[blocks.count - 1].reserveCapacity(1 << 26)
        }
    }
}
