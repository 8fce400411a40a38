import AtriumKit

/// The form for the profile: each field with its problems beside it.
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
        if let failure = viewModel.backgroundFailure {
            Notice(.problem, failure.message, hint: failure.hint)
        }
        if let asOf = viewModel.asOf { StaleNotice(asOf: asOf, hint: "profile/edit") }
        if viewModel.isSaving {
            Notice(.information, "Submitting.")
        } else if !viewModel.unsaved.isEmpty {
            Notice(.information, "Your changes are not submitted yet.", hint: "submit")
        }
    }

    var actions: [Action] {
        Action(
            "set", "Fill in one field", Argument<ProfileField>("field", "The field"),
            Argument<String>("value", "Its new value")
        ) { field, value in
            try await viewModel.set(field, to: value)
        }
        Action(
            "submit", "Submit the form; values given here replace those that were set",
            Argument<String?>("firstName", "The first name"), Argument<String?>("lastName", "The last name"),
            Argument<Int?>("age", "The age in years"), Argument<String?>("bio", "A few words; empty for none")
        ) { firstName, lastName, age, bio in
            try await viewModel.submit(
                ProfileChanges(firstName: firstName, lastName: lastName, age: age, bio: bio))
        }
        Action(
            "reset", "Undo what was set, in one field or in all",
            Argument<ProfileField?>("field", "The field; all by default")
        ) { field in
            try await viewModel.reset(field)
        }
    }

    func load() async throws {
        try await viewModel.load()
    }
}

struct ProfileFieldView: View {
    let field: ProfileField
    let draft: Profile
    let problem: String?
    /// The stored value, if the field was also changed elsewhere.
    let elsewhere: String??

    var body: Content {
        if field == .age {
            Field("age", draft.age)
        } else {
            Field(field.rawValue, draft.text(of: field))
        }
        if let problem {
            Notice(.problem, problem, hint: "set \(field.rawValue) VALUE")
        }
        if let elsewhere {
            let text = elsewhere.map { "to '\($0)'" } ?? "to nothing"
            Notice(
                .warning, "Changed elsewhere \(text) since you set it.", hint: "reset \(field.rawValue)")
        }
    }
}

/// Names of fields: a line of text for users, a list for programs.
struct FieldNames: Displayable {
    let fields: [ProfileField]

    var displayText: String {
        fields.isEmpty ? "nothing" : fields.map(\.words).joined(separator: ", ")
    }

    var json: JSONValue { .array(fields.map { .string($0.rawValue) }) }
}

extension ProfileField: ArgumentValue {}
