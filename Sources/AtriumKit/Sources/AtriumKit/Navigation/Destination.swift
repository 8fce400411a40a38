/// A typed place in the application: it names a screen and carries the screen's arguments.
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
    /// The name under which a stack entry keeps it; the pattern unless given.
    static var name: String { get }
    /// The version of its properties, kept with stack entries; 1 unless given.
    static var version: Int { get }
    /// The names under which earlier versions of the module kept it; none unless given.
    static var formerNames: [String] { get }
    /// The guards that everybody has to pass who goes there, in order; none unless given.
    static var guards: [GuardName] { get }
    /// A place to try the screen with when the container is verified; made up of the types of the properties
    /// unless given.
    static var sample: Self? { get }
    /// Makes the properties of this version from those that an earlier version kept.
    ///
    /// - Parameters:
    ///   - properties: What was kept, as Codable wrote it, keys sorted.
    ///   - version: The version that kept it, lower than ``version``; steps in between are this method's.
    /// - Returns: The properties as Codable reads them today; nil, unless given, where there are none.
    /// - Throws: What the module says about properties that it can't use.
    static func migrate(_ properties: JSONObject, from version: Int) throws -> JSONObject?
}

extension Destination {
    public static var name: String { pattern.description }
    public static var version: Int { 1 }
    public static var sample: Self? { nil }

    public static var formerNames: [String] { [] }
    public static var guards: [GuardName] { [] }

    public static func migrate(_ properties: JSONObject, from version: Int) throws -> JSONObject? { nil }

    /// The link that leads to this place.
    ///
    /// - Throws: ``LinkError`` where a property has a form that links cannot express.
    public func link() throws -> Link {
        let encoder = LinkEncoder(Self.pattern)
        try encode(to: encoder)
        return try encoder.link()
    }

    /// The place that a link leads to; nil where the link's path does not match the pattern.
    ///
    /// - Throws: ``LinkError`` where a value is missing, of another type, or unknown.
    @_spi(Host) public init?(link: Link) throws {
        let pattern = Self.pattern
        guard pattern.matches(link.segments) else { return nil }
        let decoder = try LinkDecoder(link, pattern)
        self = try Self(from: decoder)
        try decoder.finish { _ = try? Self(from: $0) }
    }
}
