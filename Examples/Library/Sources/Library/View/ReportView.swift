import AtriumKit

/// The totals of today.
struct ReportDestination: Destination {
    static let pattern: LinkPattern = "library/report"
}

/// The totals of the library, and the loans that are late.
struct ReportView: View {
    let viewModel: ReportViewModel

    var body: Content {
        Title("Report")
        if let report = viewModel.report {
            Field("day", report.day)
            Field("books", report.books)
            Field("members", report.members)
            Field("open", label: "Books that are out", report.open)
            Field("returned", report.returned)
            Field("late", report.late.count)
            Field("charged", label: "Fines charged", report.charged)
            Field("pending", label: "Fines to come", report.pending)
            if !report.late.isEmpty {
                Table(report.late) {
                    Column("loan") { $0.loan.id }
                    Column("title") { $0.title }
                    Column("borrower") { $0.borrower }
                    Column("due") { $0.loan.due }
                    Column("days", label: "Days late") { $0.loan.daysLate(on: report.day) }
                    Column("fine") { $0.loan.fine(on: report.day) }
                }
            }
        }
    }

    func load() async throws { try await viewModel.load() }
}
