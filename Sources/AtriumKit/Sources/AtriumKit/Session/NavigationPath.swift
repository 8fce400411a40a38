/// The places on the stack of screens as links, from the first one entered to the current one.
public struct NavigationPath: Codable, Hashable, Sendable {
    public var links: [String]

    /// A path; empty for the root.
    public init(_ links: [String] = []) {
        self.links = links
    }
}

/// The stack of screens, as the session mirrors it.
@MainActor
@_spi(Host) public protocol NavigationStack: AnyObject {
    /// The places on it.
    var path: NavigationPath { get }
    /// Goes to other places; begins soon, and tells the person where it can't.
    func go(to path: NavigationPath)
}
