import AtriumKit

/// The form for the profile: each field with what is wrong with it beside it.
struct ProfileEditView: View {
    let viewModel: ProfileEditViewModel

    var body: Content {
        Title("Edit profile")
        for field in ProfileField.allCases {
            ProfileFieldView(
                field: field, draft: viewModel.draft, problem: viewModel.problems[field],
                elsewhere: viewModel.contested[field])
        }
        Field("unsaved", FieldNames(fields: viewModel.unsaved))
        if let warning = viewModel.warning {
            Notice(.warning, warning.message, hint: warning.hint)
        }
        if let missed = viewModel.missed {
            Notice(.problem, missed.message, hint: missed.hint)
        }
        if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: "nav front profile/edit") }
        if viewModel.isSaving {
            Notice(.information, "Submitting.")
        } else if !viewModel.unsaved.isEmpty {
            Notice(.information, "What you set is not submitted yet.", hint: "submit")
        }
    }

    var actions: [Action] {
        Action(
            "set", "Sets one field of the form", Argument<ProfileField>("field", "Which field"),
            Argument<String>("value", "Its new value")
        ) { field, value in
            try await viewModel.set(field, to: value)
        }
        Action(
            "submit", "Stores the profile, with the values given here before those that were set",
            Argument<String?>("firstName", "The first name"), Argument<String?>("lastName", "The last name"),
            Argument<Int?>("age", "The age in years"), Argument<String?>("bio", "A few words; empty for none")
        ) { firstName, lastName, age, bio in
            try await viewModel.submit(
                ProfileChanges(firstName: firstName, lastName: lastName, age: age, bio: bio))
        }
        Action(
            "reset", "Forgets what was set, in one field or in all",
            Argument<ProfileField?>("field", "Which field; all of them unless given")
        ) { field in
            try await viewModel.reset(field)
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}
