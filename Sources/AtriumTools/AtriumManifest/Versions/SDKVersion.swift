/// The version of AtriumKit that this package builds.
public enum SDKVersion {
    /// What the build stamps into the manifest of every module.
    public static let current = SemanticVersion(0, 4, 0)

    /// Counts the layouts of what AtriumKit compiles into modules (its folder `Container/Inlined`); stamped
    /// too, because code of another layout would read memory wrongly.
    public static let inlinedLayout = 2
}
