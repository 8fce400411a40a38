/// A kind of thing that a module lists, searches, shows, edits and stores, declared by its fields.
///
/// ``ModuleRegistry/records(_:live:local:mock:_:)`` registers its service, repository and screens. Each piece
/// can be replaced, and the values stay plain Swift.
///
/// ```swift
/// struct Book: Record {
///     var id = 0
///     var title = ""
///     var copies = 1
///     var shelf: String?
///
///     static let fields: Fields<Book> = [
///         RecordField("title", "Its title", \.title, .length(1...200), .searched, .sorted),
///         RecordField("copies", "How many there are", \.copies, .range(1...999)),
///         RecordField("shelf", "Where it stands", \.shelf, .length(0...20), .filtered),
///     ]
/// }
/// ```
public protocol Record: Identifiable, Hashable, Sendable where ID: RecordID {
    /// The id of the record: a number from 1, or a text; 0 or empty until a service has stored it.
    var id: ID { get set }
    /// Creates a record that has the default of each field.
    init()
    /// The fields, in the order of tables and forms; the first is the name of a record.
    static var fields: Fields<Self> { get }
    /// The words for one record and for several; by default made from the type's name.
    static var noun: RecordNoun { get }
    /// The link of the list, and the start of all others; by default the plural, with `-` between words.
    static var link: String { get }
    /// The name of the table; by default the plural, with `_` between words.
    static var table: String { get }
    /// The version of the module's database that has the table first; 1 by default.
    static var tableVersion: Int { get }
    /// The fields of released versions that are gone; none by default.
    static var formerFields: [FormerField] { get }
    /// The guards of the screens; none by default. Guarded lists and records are hidden when another user signs in.
    static var guards: [GuardName] { get }
    /// True if users can't create, change or delete the records; false by default.
    static var isReadOnly: Bool { get }
}

extension Record {
    /// `book` and `books` for a type `Book`.
    public static var noun: RecordNoun { RecordNoun(typeName: "\(Self.self)") }
    /// `books` for a type `Book`.
    public static var link: String { noun.plural.replacing(" ", with: "-") }
    /// `books` for a type `Book`.
    public static var table: String { noun.plural.replacing(" ", with: "_") }
    /// 1 by default.
    public static var tableVersion: Int { 1 }
    /// None by default.
    public static var formerFields: [FormerField] { [] }
    /// None by default.
    public static var guards: [GuardName] { [] }
    /// False by default.
    public static var isReadOnly: Bool { false }
}

// ManifestTool repeats the rules of `RecordNoun`, `Record.link` and the destinations, to read the screens of a
// record when the module is built.

/// The words for one record and for several, in lower case: `book` and `books`.
public struct RecordNoun: Sendable, Hashable {
    public let singular: String
    public let plural: String

    /// Creates the words; the plural is formed by the usual rules of English by default.
    public init(_ singular: String, plural: String? = nil) {
        self.singular = singular
        self.plural = plural ?? Self.plural(of: singular)
    }

    /// Creates the words from a type's name: `book loan` from `BookLoan`.
    init(typeName: String) {
        self.init(Words.label(forKey: typeName).lowercased())
    }

    /// `1 book`, `3 books`.
    public func counted(_ count: Int) -> String { "\(count) \(count == 1 ? singular : plural)" }

    /// `a book`, `an order`.
    public var withArticle: String {
        "\(singular.first.map("aeiou".contains) == true ? "an" : "a") \(singular)"
    }

    private static func plural(of word: String) -> String {
        if word.hasSuffix("lf") { return word.dropLast() + "ves" }
        if word.hasSuffix("y"), word.dropLast().last.map("aeiou".contains) == false {
            return word.dropLast() + "ies"
        }
        return word + (["s", "x", "z", "ch", "sh"].contains(where: word.hasSuffix) ? "es" : "s")
    }
}
