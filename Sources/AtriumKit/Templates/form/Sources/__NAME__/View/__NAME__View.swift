import AtriumKit

/// A form.
///
/// Its link is `__LINK__`.
struct __NAME__Destination: Destination {
    static let pattern: LinkPattern = "__LINK__"
}

/// The form: each field with its problems beside it.
struct __NAME__View: View {
    let viewModel: __NAME__ViewModel

    var body: Content {
        Title("__NAME__")
        for field in BookingField.allCases {
            Field(field.rawValue, viewModel.draft.text(of: field))
            if let problem = viewModel.problems[field] {
                Notice(.problem, problem, hint: "set \(field.rawValue) VALUE")
            }
        }
        if viewModel.isSending { Notice(.information, "The booking is being sent.") }
    }

    var actions: [Action] {
        Action(
            "set", "Fill in a field", Argument<BookingField>("field", "The field"),
            Argument<String>("value", "Its new value")
        ) { field, value in
            try viewModel.set(field, to: value)
        }
        Action("send", "Send the booking") { try await viewModel.send() }
        Action("reset", "Empty the form") { try viewModel.reset() }
    }
}

extension BookingField: ArgumentValue {}
