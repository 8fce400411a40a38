/// A screen of the application, named together with its arguments.
///
/// The pattern and the properties together declare the links: properties named in the pattern become path
/// segments, all others query items, and a link is read the same way in reverse. A property is text, a
/// number, a Boolean, a choice (an enumeration of text or numbers), an optional one of these, or a list of
/// them; nil is left out of the link. A printed link is read back as an equal destination.
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
    /// The destination that verifying the container builds the screen with; by default made up from the types
    /// of the properties.
    static var sample: Self? { get }
    /// Migrates the properties, as Codable wrote them, from any lower version; nil, the default, if they
    /// can't be migrated.
    static func migrate(_ properties: JSONObject, from version: Int) throws -> JSONObject?
}

extension Destination {
    /// The text of the pattern, by default; if that changes, list it in ``formerNames``.
    public static var name: String { pattern.description }
    /// 1 by default; increase it when the properties change.
    public static var version: Int { 1 }
    /// Nil by default: a sample is made up from the types of the properties.
    public static var sample: Self? { nil }

    /// None by default; list each name that ``name`` had in an earlier version.
    public static var formerNames: [String] { [] }
    /// None by default; guards that apply to every screen are evaluated in any case.
    public static var guards: [GuardName] { [] }

    /// Migrates nothing, by default: entries of an older version are not restored.
    public static func migrate(_ properties: JSONObject, from version: Int) throws -> JSONObject? { nil }

    /// Returns the destination's link; throws ``LinkError`` if a property has a form that links can't
    /// express.
    public func link() throws -> Link {
        let encoder = LinkEncoder(Self.pattern)
        try encode(to: encoder)
        return try encoder.link()
    }

    /// Creates the destination of a link; nil if the path does not match; throws ``LinkError`` if a value
    /// does not.
    @_spi(Host) public init?(link: Link) throws {
        let pattern = Self.pattern
        guard pattern.matches(link.segments) else { return nil }
        let decoder = try LinkDecoder(link, pattern)
        self = try Self(from: decoder)
        try decoder.finish()
    }
}
