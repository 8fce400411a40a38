/// The version of AtriumKit that this package builds.
public enum SDKVersion {
    /// What the build stamps into the manifest of every module.
    public static let current = SemanticVersion(0, 1, 0)
}
