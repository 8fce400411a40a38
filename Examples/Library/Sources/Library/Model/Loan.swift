import AtriumKit

/// The lending of a book to a member, who has it until it is returned.
struct Loan: Record {
    var id = 0
    var book = 0
    var member = 0
    var status = LoanStatus.open
    var lent: Day?
    var due: Day?
    var returned: Day?
    var fine = Money(hundredths: 0)

    static let link = "library/loans"

    static let fields: Fields<Loan> = [
        RecordField("book", "The book that is lent", \.book, .reference(to: Book.self)),
        RecordField("member", "Who has it", \.member, .reference(to: Member.self)),
        RecordField("status", "Whether it is out", \.status, .filtered),
        RecordField("lent", "The day of the lending", \.lent, .readOnly, .hidden),
        RecordField("due", "The last day; 14 days later by default", \.due, .sorted),
        RecordField("returned", "The day of the return", \.returned, .readOnly, .hidden),
        RecordField("fine", "What was due for being late", \.fine, .readOnly, .sorted),
    ]
}

enum LoanStatus: String, CaseIterable, RecordValue { case open, returned }

extension Loan {
    /// The days of a loan, the open loans that a member may have, and the fine for each day after the due one.
    static let (days, limit, dailyFine) = (14, 3, Money(hundredths: 50))

    /// The days that the book is late on `day`; 0 if it is not.
    func daysLate(on day: Day) -> Int { due.map { max(0, (returned ?? day).days(since: $0)) } ?? 0 }

    /// What is due for being late, if the book comes back on `day`.
    func fine(on day: Day) -> Money { Self.dailyFine * daysLate(on: day) }
}
