import AtriumKit

/// A book of the library, of which there is one copy.
struct Book: Record {
    var id = 0
    var title = ""
    var author = ""
    var isbn: String?
    var shelf: String?
    var price = Money(hundredths: 2_000)

    static let link = "library/books"

    static let fields: Fields<Book> = [
        RecordField("title", "Its title", \.title, .length(1...200), .searched, .sorted),
        RecordField("author", "Who wrote it", \.author, .length(1...100), .searched, .sorted, .filtered),
        RecordField(
            "isbn", "Its ISBN, 13 digits", \.isbn, .unique, .searched,
            .check("must have 13 digits") { $0.map { $0.count == 13 && $0.allSatisfy(\.isNumber) } ?? true }),
        RecordField("shelf", "Where it stands", \.shelf, .length(0...20), .filtered),
        RecordField(
            "price", "What a lost one costs", \.price, .sorted,
            .amount(Money(hundredths: 1)...Money(hundredths: 100_000))),
    ]
}
