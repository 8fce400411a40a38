import AtriumKit

/// The template of many modules: each copy has a number instead of the zeros in its manifest and its link.
final class FillerModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(FillerDestination.self) { _ in FillerView() }
    }
}

struct FillerDestination: Destination {
    static let pattern: LinkPattern = "filler-number-0000"
}

struct FillerView: View {
    var body: Content { Title("Filler") }
}
