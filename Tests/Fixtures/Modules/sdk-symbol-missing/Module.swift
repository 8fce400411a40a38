import AtriumKit

/// Calls a function that this SDK does not have.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        whisper()
    }
}

/// `AtriumKit.Logger.whisper() -> ()`, as a later SDK might have it.
@_silgen_name("$s9AtriumKit6LoggerV7whisperyyF")
private func whisper()
