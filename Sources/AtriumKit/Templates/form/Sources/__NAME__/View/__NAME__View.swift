import AtriumKit

/// A form.
struct __NAME__Destination: Destination { static let pattern: LinkPattern = "__LINK__" }

/// The form: each field with its mistakes beside it.
struct __NAME__View: View {
    let viewModel: __NAME__ViewModel

    private var form: DraftForm<Booking> { viewModel.form }

    var body: Content {
        Title("__NAME__")
        RecordDraftView(form.draft)
        if form.isSaving { Notice(.information, "The booking is being sent.") }
        if let failure = form.backgroundFailure { Notice(.problem, failure.message, hint: failure.hint) }
    }

    var actions: [Action] {
        Action.set(Booking.self) { try await form.set($0, to: $1) }
        Action("send", "Send the booking", perform: viewModel.send)
        Action("reset", "Empty the form", perform: viewModel.reset)
    }

    func load() async throws { try await form.load() }
}
