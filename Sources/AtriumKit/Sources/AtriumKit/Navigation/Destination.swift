/// Names a screen of the application and carries its arguments.
///
/// Its pattern and its properties are one declaration of its link: properties named in the pattern become
/// path segments, all others query items, and reading a link is the same in reverse. A property is text, a
/// number, a truth value, a choice (an enumeration of text or numbers), an optional one of these, or a list of
/// them; an optional one that is nil stands nowhere in the link. What a link was printed from is read from it.
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
    /// The name that stack entries keep; the pattern by default.
    static var name: String { get }
    /// The version of its properties, kept with stack entries; 1 by default.
    static var version: Int { get }
    /// The names that stack entries of earlier versions keep; none by default.
    static var formerNames: [String] { get }
    /// The guards of the destination, in order; none by default.
    static var guards: [GuardName] { get }
    /// A destination to build the screen with when the container is verified; made up from the types of the properties
    /// by default.
    static var sample: Self? { get }
    /// Makes the properties of this version from those, as Codable wrote them, of any lower one; nil, the
    /// default, if they can't be migrated.
    static func migrate(_ properties: JSONObject, from version: Int) throws -> JSONObject?
}

extension Destination {
    public static var name: String { pattern.description }
    public static var version: Int { 1 }
    public static var sample: Self? { nil }

    public static var formerNames: [String] { [] }
    public static var guards: [GuardName] { [] }

    public static func migrate(_ properties: JSONObject, from version: Int) throws -> JSONObject? { nil }

    /// The link of this destination; throws ``LinkError`` if a property has a form that links can't express.
    public func link() throws -> Link {
        let encoder = LinkEncoder(Self.pattern)
        try encode(to: encoder)
        return try encoder.link()
    }

    /// Creates the destination of a link; nil if the path does not match, ``LinkError`` if a value does not.
    @_spi(Host) public init?(link: Link) throws {
        let pattern = Self.pattern
        guard pattern.matches(link.segments) else { return nil }
        let decoder = try LinkDecoder(link, pattern)
        self = try Self(from: decoder)
        try decoder.finish()
    }
}
