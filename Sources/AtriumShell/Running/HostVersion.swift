/// The version of the host.
public enum HostVersion {
    public static let current = "0.1.0"
}
