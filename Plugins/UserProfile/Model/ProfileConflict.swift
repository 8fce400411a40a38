import AtriumKit

/// Fields of a profile were changed elsewhere while somebody changed them; nothing was submitted.
struct ProfileConflict: ExplainedError, Hashable {
    /// A field, and what both made of it.
    struct Field: Hashable, Sendable {
        let field: ProfileField
        /// What is stored; nil for nothing.
        let theirs: String?
        /// What was to be submitted; nil for nothing.
        let yours: String?
    }

    /// In the order of the form.
    let fields: [Field]
    /// The profile as it is stored by now.
    let stored: StoredProfile

    var code: ErrorCode { .changedElsewhere }

    var message: String {
        (fields.map(Self.sentence) + ["Nothing was submitted."]).joined(separator: " ")
    }

    var hint: String? {
        let name = fields.count == 1 ? fields.map(\.field.rawValue).joined() : "FIELD"
        return "Enter the same command again to overwrite it, or take it over: reset \(name)"
    }

    private static func sentence(_ field: Field) -> String {
        "\(ProfileField.subject([field.field])) was changed elsewhere to \(quoted(field.theirs)), "
            + "here to \(quoted(field.yours))."
    }

    /// A text in quotes, as much of it as a sentence bears.
    private static func quoted(_ text: String?) -> String {
        guard let text else { return "nothing" }
        return text.count > maximumText ? "'\(text.prefix(maximumText))…'" : "'\(text)'"
    }

    private static let maximumText = 100
}

extension ErrorCode {
    /// Somebody else has changed the same.
    static let changedElsewhere: ErrorCode = "changedElsewhere"
}
