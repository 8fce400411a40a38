import AtriumKit

/// Allocates in `register` until no memory is left.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        var blocks: [[UInt8]] = []
        while true {
            // Reserved but not written to, so that a limit is reached before the machine's memory is used up.
            blocks.append([])
            blocks[blocks.count - 1].reserveCapacity(1 << 26)
        }
    }
}
