/// A typed place in the application: it names a screen and carries the screen's arguments.
///
/// Its pattern and its properties are one declaration of its link: properties named in the pattern become
/// path segments, all others query items, and reading a link is the same in reverse.
///
/// ```swift
/// struct EntityDetail: Destination {
///     static let pattern: LinkPattern = "entities/:id"
///     let id: Int
/// }
/// ```
public protocol Destination: Codable, Hashable, Sendable {
    /// The form of its links.
    static var pattern: LinkPattern { get }
    /// The name under which a stack entry keeps it; the pattern unless given.
    static var name: String { get }
    /// The version of its properties, kept with stack entries; 1 unless given.
    static var version: Int { get }
    /// A place to try the screen with when the container is verified; made up of the types of the properties
    /// unless given.
    static var sample: Self? { get }
    /// The guards that have to allow it; none unless given.
    static var guards: [GuardName] { get }
}

extension Destination {
    public static var name: String { pattern.description }
    public static var version: Int { 1 }
    public static var sample: Self? { nil }
    public static var guards: [GuardName] { [] }

    /// The link that leads to this place.
    ///
    /// - Throws: ``LinkError`` where a property has a form that links cannot express.
    public func link() throws -> Link {
        let encoder = LinkEncoder()
        try encode(to: encoder)
        return try Self.pattern.link(with: encoder.values)
    }

    /// The place that a link leads to; nil where the link's path does not match the pattern.
    ///
    /// - Throws: ``LinkError`` where a value is missing, of another type, or unknown.
    @_spi(Host) public init?(link: Link) throws {
        guard let path = Self.pattern.match(link.segments) else { return nil }
        let decoder = try LinkDecoder(link: link, path: path)
        self = try Self(from: decoder)
        try decoder.finish()
    }
}
