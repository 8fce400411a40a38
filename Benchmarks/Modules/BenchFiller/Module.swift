import AtriumKit

/// One of many: each gets another number in place of the zeros, in its manifest and in its link.
final class FillerModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(FillerPlace.self) { _ in FillerView() }
    }
}

struct FillerPlace: Destination {
    static let pattern: LinkPattern = "filler-number-0000"
}

struct FillerView: View {
    var body: Content { Title("Filler") }
}
