import AtriumTesting
import TestSupport
import Testing

@testable @_spi(Host) import AtriumKit

@Suite("Fields of records")
struct RecordFieldTests {
    @Test(
        "Typed text becomes a value, which is typed, stored and exchanged in one form each",
        arguments: [
            ("title", " Dune ", "Dune", DatabaseValue.text("Dune"), JSONValue.string("Dune")),
            ("author", "Ada", "Ada", .text("Ada"), "Ada"),
            ("author", "  ", nil, .null, .null),
            ("copies", "12", "12", .integer(12), 12),
            ("weight", "0.5", "0.5", .real(0.5), 0.5),
            ("weight", "", nil, .null, .null),
            ("isLent", "yes", "yes", .integer(1), true),
            ("binding", "paperback", "paperback", .text("paperback"), "paperback"),
            ("bought", "2024-02-29", "2024-02-29", .text("2024-02-29"), "2024-02-29"),
            (
                "seenAt", "2026-11-21T05:01:45.5Z", "2026-11-21T05:01:45.500000Z",
                .integer(1_795_237_305_500_000), "2026-11-21T05:01:45.500000Z"
            ),
            ("price", "12.5", "12.50", .integer(1_250), 12.5),
            ("price", "7", "7.00", .integer(700), 7),
            ("notes", "a\r\nb", "a\nb", .text("a\nb"), "a\nb"),
        ] as [(String, String, String?, DatabaseValue, JSONValue)])
    func forms(
        _ name: String, _ typed: String, _ text: String?, _ stored: DatabaseValue, _ json: JSONValue
    ) throws {
        let field = try Book.fields.field(name)
        var book = Book()

        try field.set(&book, to: typed)

        #expect(field.text(of: book) == text)
        #expect(field.databaseValue(of: book) == stored)
        #expect(field.json(of: book) == json)
        var read = Book()
        #expect(field.access.set(&read, json) == nil)
        #expect(field.isEqual(read, book))
        if let text {
            try field.set(&read, to: text)
            #expect(field.isEqual(read, book))
        }
    }

    @Test(
        "A text that breaks a rule is refused with a sentence, and the record stays",
        arguments: [
            ("title", " ", "The title is empty."),
            ("title", String(repeating: "a", count: 41), "The title may have at most 40 characters, not 41."),
            ("title", "a\u{7}", "The title must not contain control characters."),
            ("author", "A", "The author must have at least 2 characters, not 1."),
            ("copies", "many", "The copies must be a whole number, not 'many'."),
            ("copies", "0", "The copies must be at least 1, not 0."),
            ("copies", "1000", "The copies must be at most 999, not 1000."),
            (
                "copies", "9223372036854775808",
                "The copies must be a whole number, not '9223372036854775808'."
            ),
            ("weight", "-0.5", "The weight must be at least 0, not -0.5."),
            ("weight", "nan", "The weight must be a number, not 'nan'."),
            ("binding", "leather", "The binding must be one of hardcover, paperback, not 'leather'."),
            ("bought", "2026-02-29", "The bought must be a day such as 2026-11-29, not '2026-02-29'."),
            ("bought", "26-02-28", "The bought must be a day such as 2026-11-29, not '26-02-28'."),
            ("price", "1.255", "The price must be an amount such as 12.50, not '1.255'."),
            ("price", "-1", "The price must be from 0.00 to 1000.00."),
            ("seenAt", "now", "The seen at must be a moment such as 2026-11-21T05:01:45Z, not 'now'."),
        ])
    func refused(_ name: String, _ typed: String, _ message: String) throws {
        var book = Book(title: "Dune")

        #expect { try Book.fields.field(name).set(&book, to: typed) } throws: { error in
            (error as? ValidationError)?.message == message
        }

        #expect(book == Book(title: "Dune"))
    }

    @Test(
        "JSON of another type is refused",
        arguments: [
            ("title", JSONValue.integer(1)), ("title", .null), ("copies", .number(1.5)), ("copies", "1"),
            ("isLent", 1), ("binding", "leather"), ("bought", "2026-13-01"), ("price", .number(0.001)),
            ("price", .number(1e300)), ("seenAt", 5), ("author", .array([])),
        ])
    func otherJSON(_ name: String, _ json: JSONValue) throws {
        var book = Book(title: "Dune")

        #expect(try Book.fields.field(name).access.set(&book, json) != nil)

        #expect(book == Book(title: "Dune"))
    }

    @Test("Amounts are exact, and days count across leap years")
    func amountsAndDays() throws {
        for hundredths in [0, 1, -1, 5, -5, 99, 100, -100, 12_345, 1 << 53] {
            let money = Money(hundredths: hundredths)
            #expect(Money(argument: money.argumentText) == money)
            #expect(Money(json: money.json) == money)
        }
        let day = try #require(Day("2024-02-28"))
        #expect(day.adding(days: 2).description == "2024-03-01")
        #expect(try #require(Day("2025-02-28")).days(since: day) == 366)
        #expect(Day.range.lowerBound.description == "0001-01-01")
        #expect(Day.range.upperBound.description == "9999-12-31")
        #expect(day.adding(days: .max) == Day.range.upperBound)
        #expect(Day(Timestamp(microseconds: -1)).description == "1969-12-31")
    }

    @Test(
        "An amount is read as people type it",
        arguments: [
            ("49", 4_900), ("49.5", 4_950), ("49.00", 4_900), ("0.01", 1), ("0.1", 10), ("007.09", 709),
            ("9999999.99", 999_999_999), ("-0.05", -5), ("10000000", 1_000_000_000),
        ])
    func amount(_ text: String, _ hundredths: Int) {
        #expect(Money(argument: text)?.hundredths == hundredths)
    }

    @Test(
        "Anything else is no amount",
        arguments: [
            "", ".", "49.", ".5", "49,00", "1,5", "4.999", "1.2.3", "+1", "--1", "1e3", " 1", "0x10", "٤٩",
            "49 €", "99999999999999999999",
        ])
    func noAmount(_ text: String) {
        #expect(Money(argument: text) == nil)
    }

    @Test("A name is made into the words for one record and for several")
    func nouns() {
        #expect(Book.noun == RecordNoun("book", plural: "books"))
        #expect(RecordNoun(typeName: "BookLoan") == RecordNoun("book loan", plural: "book loans"))
        // The same table is in ScreenReaderTests of HostTests: the build has these rules too.
        let plurals = [
            "Book": "books", "BookLoan": "book loans", "Box": "boxes", "Bus": "buses",
            "Category": "categories", "Day": "days", "Dish": "dishes", "Match": "matches",
            "Shelf": "shelves", "Waltz": "waltzes",
        ]
        for (type, plural) in plurals { #expect(RecordNoun(typeName: type).plural == plural) }
        #expect(RecordNoun("order").withArticle == "an order")
        #expect(RecordNoun("order").counted(1) == "1 order" && RecordNoun("order").counted(0) == "0 orders")
    }
}

@Suite("Declarations of records")
@MainActor
struct RecordDeclarationTests {
    private struct Wrong: Record {
        var id = 0
        var name = "toolong"
        var size = 5

        static let fields: Fields<Wrong> = [
            RecordField("name", \.name, .length(1...3)), RecordField("name", \.name),
            RecordField("id", \.size), RecordField("a b", \.size, .range(6...9)),
            RecordField("kind", \.name, .choice([])), RecordField("page", \.size, .filtered),
        ]
    }

    private struct Empty: Record {
        var id = 0
        static let fields: Fields<Empty> = []
    }

    private final class WrongModule: FeatureModule {
        func register(in registry: ModuleRegistry) {
            registry.records(
                Wrong.self, live: .unavailable, local: .table, mock: .samples([Wrong(name: "a", size: 5)]))
        }
    }

    @Test("Each mistake is found when the module is registered, with file and line")
    func mistakes() throws {
        let problems = Wrong.fields.problems

        #expect(problems.allSatisfy { $0.hasPrefix("RecordsTests/RecordFieldTests.swift:") })
        let texts = problems.map { $0.drop { $0 != " " }.dropFirst() }
        #expect(
            texts == [
                "the field 'name' has the default 'toolong', which breaks its own rule: The name may have at most "
                    + "3 characters, not 7.",
                "the field 'name' has the name of another one",
                "the field 'id' has the name of another one",
                "the field 'a b' has a name that is not one of letters and digits, a letter first",
                "the field 'a b' has the default '5', which breaks its own rule: The a b must be at least 6, "
                    + "not 5.",
                "the field 'kind' has no choice",
                "the field 'page' is filtered, and has the name of another part of lists",
            ])
        #expect(Empty.fields.problems == ["Empty has no fields"])
    }

    private struct Safe: Record {
        var id = 0
        var pin = "1234"
        var code = 1
        var size = ""
        var shelf = ""

        static let fields: Fields<Safe> = [
            RecordField("pin", \.pin, .secret, .length(4...8), .filtered), RecordField("Pin", \.shelf),
            RecordField("code", \.code, .secret, .range(1...9999), .unique),
            RecordField("size", \.size, .choice(["S", "M"])),
        ]
    }

    @Test("A secret is in no message, and one that would be shown is a mistake")
    func secrets() throws {
        var safe = Safe()
        var messages: [String] = []
        for (name, text) in [("pin", "987654321"), ("code", "12a4"), ("code", "98765")] {
            do { try Safe.fields.field(name).set(&safe, to: text) } catch { messages.append("\(error)") }
        }
        messages.append(ValidationFinding.notUnique(Safe.fields.all[2], of: Safe(code: 98765)).message)

        #expect(messages.count == 4)
        let text = messages.joined()
        #expect(["987654321", "12a4", "98765"].filter(text.contains) == [])
        #expect(messages.last == "There is a safe with this code already.")
        let problems = Safe.fields.problems.map { $0.drop { $0 != " " }.dropFirst() }
        #expect(
            problems == [
                "the field 'pin' is secret, and would be shown: it is the first one, sorted, filtered or searched",
                "the field 'Pin' has the name of another one",
            ])
        #expect(Safe().validate().map(\.field) == ["Pin", "size"])
    }

    @Test("Each mistake of a declaration is a finding of the registration")
    func samples() {
        let infrastructure = ModuleScope.Infrastructure(
            database: TemporaryDatabase(owner: "Wrong", migrations: []).database, clock: FixedClock(),
            logger: RecordingLog().logger, analytics: RecordingAnalytics(), configuration: Configuration([:]))
        let registry = ModuleRegistry(scope: ModuleScope(name: "Wrong", infrastructure: infrastructure))

        WrongModule().register(in: registry)

        #expect(registry.findings.count == 7)
        #expect(registry.findings.allSatisfy { $0.code == .badRecord })
    }

    private struct Small: Record {
        var id = 0
        var size = 2
        static let fields: Fields<Small> = [RecordField("size", \.size, .range(1...9))]
    }

    private final class SmallModule: FeatureModule {
        func register(in registry: ModuleRegistry) {
            registry.records(
                Small.self, live: .unavailable, local: .table, mock: .samples([Small(), Small(size: 12)]))
        }
    }

    @Test("Outside 'mock' the error says how to override the service of a record, in code that compiles")
    func unmocked() throws {
        let container = try TestContainer(SmallModule.self, environment: .local)

        try withKnownIssue {
            _ = try container.service((any RecordService<Small>).self)
        } matching: { issue in
            let error = (issue.error as? ResolutionError)?.cause ?? issue.error
            return (error as? any ExplainedError)?.hint
                == "Override it: try container.override((any RecordService<Small>).self) { StubSmallService() }"
        }
    }

    @Test("A sample that breaks a rule is named when the mock is made")
    func brokenSample() throws {
        let container = try TestContainer(SmallModule.self)

        #expect {
            try container.service((any RecordService<Small>).self)
        } throws: { error in
            "\(error)".contains("Sample 2 of Small breaks a rule: The size must be at most 9, not 12.")
        }
    }
}
