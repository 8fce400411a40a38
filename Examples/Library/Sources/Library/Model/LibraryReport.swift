import AtriumKit

/// The totals of the library on a day.
struct LibraryReport: Sendable, Hashable {
    let day: Day
    var books = 0
    var members = 0
    var open = 0
    var returned = 0
    var late: [LateLoan] = []
    /// The fines of the loans that have ended.
    var charged = Money(hundredths: 0)
    /// The fines of the loans that are late, if they ended on the day.
    var pending = Money(hundredths: 0)
}

/// A loan that is late, with the names of its book and member.
struct LateLoan: Sendable, Hashable {
    let loan: Loan
    let title: String
    let borrower: String
}
