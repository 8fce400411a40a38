import Testing

/// The build reads the screens of a module from its sources, unless `module.json` lists them.
@Suite("Screens at build time") struct ScreenReaderTests {
    /// A module's sources, and what the build makes of them.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var sources: [String]
        var expected: [String]

        init(_ name: String, _ sources: String..., screens: String...) {
            (testDescription, self.sources, expected) = (name, sources, screens)
        }

        /// The parts of the problem are joined by spaces.
        init(_ name: String, _ sources: String..., problem: String, _ rest: String...) {
            let text = ([problem] + rest).joined(separator: " ")
            (testDescription, self.sources, expected) = (name, sources, [text])
        }
    }

    /// A module that registers something, as its first file, `0.swift`; the registration is in line 3.
    private static func module(_ registration: String) -> String {
        """
        final class BooksModule: FeatureModule {
            func register(in registry: ModuleRegistry) {
                \(registration)
            }
        }
        """
    }

    private static let detail = """
        /// One book. It is shown by `books/42`.
        struct Detail: Destination {
            static let pattern: LinkPattern = "books/:id"
            let id: Int
        }
        """

    private static let book = """
        struct Book: Record {
            var id = 0
            static let fields: Fields<Book> = [RecordField("title", \\.title, .sorted)]
        }
        """

    private static let byHand = "list the module's screens as \"screens\" in module.json"

    static let read: [Case] = [
        Case(
            "a destination, with the first sentence of its documentation",
            module("registry.screen(Detail.self) {}"), detail, screens: "books/:id: One book"),
        Case(
            "in the order of patterns",
            module("registry.screen(Detail.self) {}; registry.screen(Books.self) { _ in } view: { _ in }"),
            detail,
            """
            /**
             * All `books`,
             *  by\tpages
             *
             * More.
             */
            struct Books: Destination { static let pattern = LinkPattern("books") }
            """, screens: "books: All books, by pages", "books/:id: One book"),
        Case(
            "a pattern in an extension, a getter, a nested type and a conformance elsewhere",
            module("registry.screen(Screens.Detail.self) {}; registry.screen(List.self) {}"),
            """
            enum Screens {
                /// One.
                struct Detail { let id: Int }
            }
            struct DetailView {}
            """,
            """
            extension Screens.Detail: Destination { static let pattern: LinkPattern = "a/:id" }
            /// All.
            public struct List<Item>: Destination {
                public static var pattern: LinkPattern { LinkPattern(stringLiteral: "a") }
            }
            """, screens: "a: All", "a/:id: One"),
        Case(
            "the registry under another name, and extended",
            "struct Screens { func add(to all: inout ModuleRegistry) { all.screen(Detail.self) {} } }",
            "extension ModuleRegistry { func all() { screen(Books.self) {} } }",
            detail + "\n/// All.\nstruct Books: Destination { static let pattern: LinkPattern = \"books\" }",
            screens: "books: All", "books/:id: One book"),
        Case(
            "one screen in two branches",
            module("if fast { registry.screen(Detail.self) {} } else { registry.screen(Detail.self) {} }"),
            detail, screens: "books/:id: One book"),
        Case(
            "functions of the same name of other types",
            module("window.screen(Detail.self); screen(Detail.self)"), detail),
        Case(
            "code in comments and texts",
            module("// registry.screen(Detail.self)\n_ = \"registry.screen(A.self)\"")),
    ]

    static let records: [Case] = [
        Case(
            "a record by the name of its type", module("registry.records(BookLoan.self, live: .unavailable)"),
            book.replacing("Book", with: "BookLoan"),
            screens: "book-loans: All book loans, by pages", "book-loans/:id: One book loan",
            "book-loans/:id/edit: A form for a book loan", "book-loans/new: A form for a new book loan"),
        Case(
            "a record with words and a link, and a filtered field",
            module("registry.records(Book.self, mock: .samples([]))"),
            book.replacing(".sorted", with: ".sorted, .filtered"),
            """
            extension Book {
                static let noun = RecordNoun("ox", plural: "oxen")
                static var link: String { "farm/oxen" }
            }
            """,
            screens: "farm/oxen: All oxen, by pages", "farm/oxen/:id: One ox",
            "farm/oxen/:id/edit: A form for an ox", "farm/oxen/new: A form for a new ox",
            "farm/oxen/titles: The titles, to choose one of them"),
        Case(
            "a record without screens, whose fields can't be read",
            module("registry.records(Book.self) { $0.omitted = Set(RecordScreen.allCases) }"),
            "struct Book: Record { var id = 0; static var fields: Fields<Book> { made() } }"),
        Case(
            "a field that refers to another record is filtered",
            module("registry.records(Book.self); registry.records(Loan.self) { $0.omitted = [.list] }"), book,
            """
            struct Loan: Record {
                var id = 0
                static let fields: Fields<Loan> = [RecordField("book", \\.book, .reference(to: Book.self))]
            }
            """,
            screens: "books: All books, by pages", "books/:id: One book", "books/:id/edit: A form for a book",
            "books/new: A form for a new book", "loans/:id: One loan", "loans/:id/edit: A form for a loan",
            "loans/books: The books, to choose one of them", "loans/new: A form for a new loan"),
        Case(
            "a record with one word, in a link of more",
            module("registry.records(Book.self, mock: .samples([]))"), book,
            "extension Book { static var noun: RecordNoun { .init(\"flight diary\") } }",
            screens: "flight-diaries: All flight diaries, by pages", "flight-diaries/:id: One flight diary",
            "flight-diaries/:id/edit: A form for a flight diary",
            "flight-diaries/new: A form for a new flight diary"),
        Case(
            "an alias of a record's destination", module("registry.screen(Books.self) {}"), book,
            "typealias Books = RecordListDestination<Book>", screens: "books: All books, by pages"),
        Case(
            "a record without screens of its own",
            module("registry.records(Book.self) { $0.omitted = Set(RecordScreen.allCases) }"), book),
        Case(
            "a record that users can't change has no forms",
            module("registry.records(Book.self) { $0.omitted = [.detail] }"), book,
            "extension Book { static let isReadOnly = true }", screens: "books: All books, by pages"),
        Case(
            "a record without some screens, one of them replaced and one with a view of the module",
            module(
                """
                registry.records(Book.self, mock: .samples([])) {
                    $0.rules = { _ in .books }
                    $0.omitted = [.list, .new, .edit]
                }
                registry.screen(Detail.self) {}; registry.screen(NewRecordDestination<Book>.self) {}
                """), book, detail.replacing("books/:id", with: "books/:id/pages"),
            screens: "books/:id: One book", "books/:id/pages: One book", "books/new: A form for a new book"),
    ]

    @Test("Screens are read from literals", arguments: read + records)
    func screens(of module: Case) throws {
        let run = try ManifestRun(module.sources)

        #expect(run.messages == "")
        #expect(run.screens == module.expected)
    }

    /// The same table is in `RecordFieldTests` of RecordsTests: the tool repeats the rules of AtriumKit.
    @Test("The links of records are those that AtriumKit makes of the names of their types")
    func words() throws {
        let links = [
            "Book": "books", "BookLoan": "book-loans", "Box": "boxes", "Bus": "buses",
            "Category": "categories",
            "Day": "days", "Dish": "dishes", "Match": "matches", "Shelf": "shelves", "Waltz": "waltzes",
        ]

        for (type, link) in links {
            let run = try ManifestRun([
                Self.module("registry.records(\(type).self)"), Self.book.replacing("Book", with: type),
            ])
            #expect(run.screens.first == "\(link): All \(link.replacing("-", with: " ")), by pages")
        }
    }

    static let problems: [Case] = [
        Case(
            "a field that refers to a record of nobody",
            module("registry.records(Book.self)"),
            book.replacing(".sorted", with: ".sorted, .reference(to: Shelf.self)"),
            problem: "1.swift:3:94: error: the field 'title' refers to Shelf, which the module does not",
            "register as a record."),
        Case(
            "a computed pattern", module("registry.screen(Detail.self) {}"),
            detail.replacing("\"books/:id\"", with: "\"\\(start)/:id\""),
            problem:
                "1.swift:3:16: error: the pattern of 'Detail' is not a literal, so the build can't read it;",
            "write it as one, or", byHand),
        Case(
            "no pattern", module("registry.screen(Detail.self) {}"),
            detail.replacing("pattern", with: "template"),
            problem: "1.swift:2:8: error: 'Detail' has no static property 'pattern' that the build can read;",
            "write one, or", byHand),
        Case(
            "no documentation", module("registry.screen(Detail.self) {}"),
            detail.replacing("///", with: "//"),
            problem: "1.swift:2:8: error: 'Detail' has no documentation comment, whose first sentence is the",
            "summary of its screen; write one, or", byHand),
        Case(
            "a destination of another module", module("registry.screen(Kit.Detail.self) {}"), detail,
            problem:
                "0.swift:3:18: error: the sources of the module do not declare 'Kit.Detail', so the build",
            "can't read its screen;", byHand),
        Case(
            "two types of one name", module("registry.screen(Detail.self) {}"),
            "enum A { struct Detail {} }\nenum B { struct Detail {} }",
            problem: "0.swift:3:18: error: the sources of the module declare 'Detail' 2 times, so the build",
            "can't tell which one is meant; write its full name, or", byHand),
        Case(
            "a type in a variable", module("for type in types { registry.screen(type) {} }"),
            problem:
                "0.swift:3:38: error: the build can't read which type is registered here; write it as in",
            "'screen(Detail.self)', or", byHand),
        Case(
            "under a condition of the build", module("#if DEBUG\nregistry.screen(Detail.self) {}\n#endif"),
            detail,
            problem: "0.swift:4:10: error: the build can't tell whether this registration under '#if' is",
            "compiled;", byHand),
        Case(
            "a pattern that is not valid", module("registry.screen(Detail.self) {}"),
            detail.replacing("books/:id", with: "Books"),
            problem:
                "1.swift:3:16: error: 'Books' is not a valid link; allowed: segments between '/', each of",
            "lowercase letters, digits and '-', or ':' and the name of a parameter; at the end also ':name?'",
            "for parameters that may be absent, or one ':name*' for any number of segments, for example",
            "'entities/:id'."),
        Case(
            "a parameter twice", module("registry.screen(Detail.self) {}"),
            detail.replacing("books/:id", with: "books/:id/notes/:id"),
            problem: "1.swift:3:16: error: Parameter ':id' appears twice; each needs a name of its own."),
        Case(
            "two screens of the same links",
            module("registry.screen(Detail.self) {}; registry.screen(Other.self) {}"), detail,
            detail.replacing("Detail", with: "Other").replacing(":id", with: ":name"),
            problem: "2.swift:3:16: error: 'books/:name' of Other answers the same links as 'books/:id' of",
            "Detail; remove one of them."),
        Case(
            "the link of a record", module("registry.records(Book.self)"),
            book + "\nextension Book { static let link = Names.books }",
            problem: "1.swift:5:29: error: the link of 'Book' can't be read by the build; write literals, or",
            byHand),
        Case(
            "the fields of a record", module("registry.records(Book.self)"),
            book.replacing("[RecordField(\"title\", \\.title, .sorted)]", with: "Fields(named: names)"),
            problem: "1.swift:3:16: error: the fields of 'Book' can't be read by the build; write literals,",
            "or", byHand),
        Case(
            "a field of a record", module("registry.records(Book.self)"),
            book.replacing("RecordField(\"title\", \\.title, .sorted)", with: "title"),
            problem: "1.swift:3:16: error: the fields of 'Book' can't be read by the build; write literals,",
            "or", byHand),
        Case(
            "the omitted screens of a record",
            module("registry.records(Book.self) { if small { $0.omitted = [.new] } }"), book,
            problem:
                "0.swift:3:18: error: the build can't read which screens of this record are omitted; write",
            "'$0.omitted = [.new]' in the closure, or", byHand),
    ]

    @Test("What is not a literal fails the build, with file, line and column", arguments: problems)
    func problem(of module: Case) throws {
        #expect(try ManifestRun(module.sources).messages == module.expected[0] + "\n")
    }

    @Test("A list in module.json takes precedence, also over code that can't be read, and an empty one")
    func listed() throws {
        let sources = [Self.module("registry.screen(Unknown.self) {}; registry.screen(type) {}")]

        #expect(try ManifestRun(sources, keys: #""screens": { "by-hand": "A" }"#).screens == ["by-hand: A"])
        #expect(try ManifestRun(sources, keys: #""screens": {}"#).manifest.contains(#""screens":{},"#))
    }

    @Test("The manifest is that of a list by hand, and commands may begin with a screen that was read")
    func embedded() throws {
        let sources = [Self.module("registry.screen(Detail.self) {}"), Self.detail]
        let commands = #""commands": { "first": "books/1" }"#

        let read = try ManifestRun(sources, keys: commands)

        let listed = try ManifestRun(sources, keys: #""screens": { "books/:id": "One book" }, "# + commands)
        #expect(read.manifest == listed.manifest)
        #expect(
            try ManifestRun(sources, keys: #""commands": { "first": "shelves" }"#).messages.contains(
                "A command must begin with a link of the module, and 'shelves' is none."))
    }

    @Test("Problems of code that is not Swift are left to the compiler")
    func broken() throws {
        let sources = [Self.module("registry.screen(Detail.self) {}"), "struct Detail: {"]
        let run = try ManifestRun(sources, keys: #""commands": { "first": "books/1" }"#)

        #expect(run.messages == "")
    }
}
