import AtriumKit

/// One field of the form, and what is wrong with it.
struct ProfileFieldView: View {
    let field: ProfileField
    let draft: Profile
    let problem: String?
    /// What is stored in the field, where it was changed elsewhere as well; nil in that for nothing.
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

/// Names of fields: for people one after the other, for programs a list.
struct FieldNames: Displayable {
    let fields: [ProfileField]

    var displayText: String {
        fields.isEmpty ? "nothing" : fields.map(\.words).joined(separator: ", ")
    }

    var json: JSONValue { .array(fields.map { .string($0.rawValue) }) }
}

extension ProfileField: ArgumentValue {}
