import AtriumKit

/// Adds up the records; a repository, since only repositories have a clock.
@MainActor
final class ReportRepository {
    private let books: any RecordService<Book>
    private let members: any RecordService<Member>
    private let loans: any RecordService<Loan>
    private let clock: any WallClock

    init(_ context: borrowing RepositoryContext) throws {
        (books, members, loans) = (try context.service(), try context.service(), try context.service())
        clock = context.clock
    }

    func today() async throws -> LibraryReport {
        var report = LibraryReport(day: Day(clock.now()))
        report.books = try await books.page(RecordQuery()).total
        report.members = try await members.page(RecordQuery()).total
        for loan in try await loans.all(RecordQuery()) {
            if loan.status == .returned {
                report.returned += 1
                report.charged = report.charged + loan.fine
                continue
            }
            report.open += 1
            report.pending = report.pending + loan.fine(on: report.day)
            guard loan.daysLate(on: report.day) > 0 else { continue }
            let (title, borrower) = (await books.name(loan.book), await members.name(loan.member))
            report.late.append(LateLoan(loan: loan, title: title, borrower: borrower))
        }
        return report
    }
}
