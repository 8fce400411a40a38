import AtriumKit
import Observation

/// A book, and who has it.
@MainActor
@Observable
final class BookViewModel: ViewModel {
    let book: RecordViewModel<Book>
    /// The loan of the book, and who has it, if it is out.
    private(set) var loan: Loan?
    private(set) var borrower: String?
    private let loans: RecordRepository<Loan>
    private let members: RecordRepository<Member>

    init(_ book: RecordViewModel<Book>, loans: RecordRepository<Loan>, members: RecordRepository<Member>) {
        (self.book, self.loans, self.members) = (book, loans, members)
        loans.changes.reload(self) { try await $0.load() }
    }

    func load() async throws {
        try await book.load()
        let found = try await loans.page(.open("book", book.id)).rows.first
        let member = if let found { try? await members.record(found.member) } else { Member?.none }
        (loan, borrower) = (found, member?.name ?? found.map { "member \($0.member)" })
    }

    func lend(to member: Int, due: Day?) async throws -> ActionResult {
        let loan = try await loans.create(Loan(book: book.id, member: member, due: due))
        return await .made("Lent until \(loan.due.displayText).") { try await load() }
    }

    func takeBack() async throws -> ActionResult {
        try await load()
        guard let loan else { throw ServiceError("notLent", "The book is not lent.") }
        var ended = loan
        ended.status = .returned
        let stored = try await loans.update(ended, from: loan)
        return await .made(stored.thanks) { try await load() }
    }
}

extension Loan {
    /// What was done by its return.
    var thanks: String { fine.hundredths > 0 ? "Returned; the fine is \(fine.displayText)." : "Returned." }
}
