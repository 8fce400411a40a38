/// Which implementation of every service is built.
@frozen public enum Environment: String, Sendable, Hashable, CaseIterable, Codable {
    /// Each service's own invented data; nothing is stored.
    case mock
    /// Data on this machine.
    case local
    /// Data behind a network API.
    case live
}

/// Says that a service has no implementation for an environment, where one has to be given.
///
/// In that environment the service is an error that names what there is.
public struct Unavailable: Sendable {
    private init() {}

    /// There is no implementation for this environment.
    public static var unavailable: Unavailable { Unavailable() }
}
