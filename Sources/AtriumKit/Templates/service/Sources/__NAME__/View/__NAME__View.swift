import AtriumKit

/// The series of numbers.
///
/// The link is `__LINK__`.
struct __NAME__Destination: Destination {
    static let pattern: LinkPattern = "__LINK__"
}

/// Shows the series, with an action that issues a number.
struct __NAME__View: View {
    let viewModel: __NAME__ViewModel

    var body: Content {
        Title("__NAME__")
        Table(viewModel.series) {
            Column("series") { $0.name }
            Column("last", label: "Last number") { $0.last }
        }
        if viewModel.series.isEmpty {
            Notice(.information, "No number was given out yet.", hint: "__LINK__ next SERIES")
        }
    }

    var actions: [Action] {
        Action(
            "next", "Give out the next number of a series",
            Argument<String>(
                "series", "Its name; a new name begins a series", suggestions: viewModel.series.map(\.name))
        ) { series in
            try await viewModel.next(in: series)
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
