import AtriumKit

/// The screen that records make of a book, with the loan that it is out on.
struct BookView: View {
    let viewModel: BookViewModel

    private var record: RecordView<Book> { RecordView(viewModel: viewModel.book) }

    var body: Content {
        record.body
        Field("borrower", viewModel.borrower)
        Field("due", viewModel.loan?.due)
    }

    var actions: [Action] {
        record.actions
        Action(
            "lend", "Lend the book", Argument<Int>("member", "The id of the member"),
            Argument<Day?>("due", "The last day; \(Loan.days) days from now by default")
        ) { try await viewModel.lend(to: $0, due: $1) }
        Action("return", "Take the book back") { try await viewModel.takeBack() }
    }

    func load() async throws { try await viewModel.load() }
}
