import AtriumKit

/// A record with each type of field, and each use of one.
struct Book: Record {
    var id = 0
    var title = ""
    var author: String?
    var isbn: String?
    var copies = 1
    var weight: Double?
    var isLent = false
    var binding = Binding.hardcover
    var bought: Day?
    var seenAt: Timestamp?
    var price = Money(hundredths: 0)
    var notes: String?
    var code: String?

    enum Binding: String, CaseIterable, RecordValue { case hardcover, paperback }

    static let fields: Fields<Book> = [
        RecordField("title", "Its title", \.title, .length(1...40), .searched, .sorted),
        RecordField("author", "Who wrote it", \.author, .length(2...30), .searched, .sorted, .filtered),
        RecordField("isbn", "Its number", \.isbn, .length(0...17), .unique),
        RecordField("copies", "How many there are", \.copies, .range(1...999), .sorted),
        RecordField("weight", "In kilograms", \.weight, .range(0...100)),
        RecordField("isLent", "True if it is lent", \.isLent, .filtered, .readOnly),
        RecordField("binding", "How it is bound", \.binding, .filtered),
        RecordField("bought", "When it was bought", \.bought, .sorted, .filtered),
        RecordField("seenAt", "When it was seen last", \.seenAt),
        RecordField(
            "price", "What it cost", \.price, .filtered,
            .amount(Money(hundredths: 0)...Money(hundredths: 100_000))),
        RecordField("notes", "Notes about it", \.notes, .lines(0...500)),
        RecordField("code", "Opens the vault", \.code, .length(0...20), .secret),
    ]

    static let samples = [
        Book(title: "Dune", author: "Frank Herbert", isbn: "978-0-441-17271-9", copies: 3),
        Book(
            title: "Emma", author: "Jane Austen", weight: 0.4, binding: .paperback, bought: Day("2026-01-31")),
        Book(title: "Persuasion", author: "jane austen", isLent: true, price: Money(hundredths: 1_250)),
        Book(title: "Łąka", notes: "Two\nlines", code: "1234"),
    ]
}

@MainActor
final class LibraryModule: FeatureModule {
    static let migrations = Migration.records(Book.self)

    func register(in registry: ModuleRegistry) {
        registry.records(
            Book.self, live: .resource("v1/books"), local: .table, mock: .samples(Book.samples))
    }
}
