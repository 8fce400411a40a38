@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumNavigation
internal import AtriumRuntime

/// A screen that a person can go to: of a module that is active, or is loaded when the screen is first wanted.
struct KnownLink {
    let pattern: LinkPattern
    let module: String
    let summary: String
    /// Whether the module is loaded.
    let isLoaded: Bool
    /// The guards that decide about it; none are known of a module that is not loaded.
    var guards: [String] = []

    /// The pattern as it is typed, whole where it has no arguments, else up to the first.
    var suggestion: String { pattern.beginning }
}

extension ShellHost {
    /// Every screen that can be gone to, by pattern.
    var knownLinks: [KnownLink] {
        let loaded = screens.all.map { screen in
            KnownLink(
                pattern: screen.pattern, module: screen.module, summary: summary(of: screen), isLoaded: true,
                guards: coordinator.guardNames(of: screen))
        }
        let waiting = runtime.modules.filter(\.isOnDemand).flatMap { module in
            (module.manifest?.screens ?? []).map { screen in
                KnownLink(
                    pattern: LinkPattern(stringLiteral: screen.pattern), module: module.name,
                    summary: screen.summary, isLoaded: false)
            }
        }
        guard !waiting.isEmpty else { return loaded }
        return (loaded + waiting).sorted { $0.pattern.description < $1.pattern.description }
    }
}
