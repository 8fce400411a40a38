/// The type of a record's id: `Int`, counted from 1, or `String`, such as a UUID.
///
/// A table counts numbers, and makes texts of 32 hexadecimal digits; a server gives what it has.
public protocol RecordID: RecordValue, Codable {
    /// The id of a record that is not stored.
    static var unstoredID: Self { get }
    /// Returns the id of a record that is being created, which no stored one has.
    static func provisionalID(_ number: Int) -> Self
    /// Returns an id for a new row; nil if the table counts them.
    static func newID() -> Self?
    /// Returns an id for a new row from the host's source; nil if the table counts them. By default ``newID()``.
    static func newID(from ids: IDSource) -> Self?
    /// True if a stored record can have it.
    var isStoredID: Bool { get }
    /// True if it comes before another one, as in a table.
    func precedes(_ other: Self) -> Bool
}

extension RecordID {
    public static func newID(from ids: IDSource) -> Self? { newID() }
}

extension Int: RecordID {
    public static var unstoredID: Int { 0 }
    public static func provisionalID(_ number: Int) -> Int { -number }
    public static func newID() -> Int? { nil }
    public var isStoredID: Bool { self > 0 }
    public func precedes(_ other: Int) -> Bool { self < other }
}

extension String: RecordID {
    public static var unstoredID: String { "" }
    public static func provisionalID(_ number: Int) -> String { "\u{1}\(number)" }
    public static func newID() -> String? { newID(from: .random) }
    public static func newID(from ids: IDSource) -> String? { ids.next() }
    /// True for 1 to 200 bytes without control characters.
    public var isStoredID: Bool {
        (1...200).contains(utf8.count) && utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
    public func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension Record {
    /// The link of a record's screen.
    static func link(of id: ID) -> String { "\(link)/\(PercentEncoding.encodeSegment("\(id)"))" }
}

/// The id of a record of some type, as screens and programs have it.
struct RecordKey: Displayable, Hashable {
    let displayText: String
    let json: JSONValue

    init(_ id: some RecordID) { (displayText, json) = ("\(id)", id.exchanged) }

    /// The id within a sentence: a text in quotes.
    var words: String {
        if case .string(let text) = json { "'\(text.excerpt)'" } else { displayText }
    }
}
