import AtriumKit

/// The form for the profile: each field with its problems beside it.
struct ProfileEditView: View {
    let viewModel: ProfileEditViewModel

    private var unsaved: [RecordField<Profile>] { viewModel.draft.changed }

    var body: Content {
        Title("Edit profile")
        RecordDraftView(viewModel.draft)
        Field(
            "unsaved", unsaved.map(\.name),
            text: unsaved.isEmpty ? "nothing" : unsaved.map { $0.label.lowercased() }.joined(separator: ", "))
        if let warning = viewModel.warning { Notice(.warning, warning.message, hint: warning.hint) }
        if let failure = viewModel.backgroundFailure { Notice(.problem, failure.message, hint: failure.hint) }
        if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: "profile/edit") }
        if viewModel.isSaving {
            Notice(.information, "Submitting.")
        } else if !unsaved.isEmpty {
            Notice(.information, "Your changes are not submitted yet.", hint: "submit")
        }
    }

    var actions: [Action] {
        Action.set(Profile.self) { try await viewModel.set($0, to: $1) }
        Action(
            "submit", "Submit the form; values given here replace those that were set", fieldsOf: Profile.self
        ) { try await viewModel.submit($0) }
        Action(
            "reset", "Undo what was set, in one field or in all",
            Argument<String?>("field", "The field; all by default", choices: Profile.fields.all.map(\.name))
        ) { try await viewModel.reset($0) }
    }

    func load() async throws { try await viewModel.load() }
}
