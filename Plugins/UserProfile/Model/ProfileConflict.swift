import AtriumKit

/// Fields of a profile were changed here and elsewhere at the same time; nothing was submitted.
struct ProfileConflict: ExplainedError, Hashable {
    struct Field: Hashable, Sendable {
        let field: ProfileField
        let theirs: String?
        let yours: String?
    }

    let fields: [Field]
    let stored: StoredProfile

    var code: ErrorCode { "changedElsewhere" }

    var message: String {
        (fields.map(Self.sentence) + ["Nothing was submitted."]).joined(separator: " ")
    }

    var hint: String? {
        let name = fields.count == 1 ? fields.map(\.field.rawValue).joined() : "FIELD"
        return "Enter the same command again to overwrite it, or accept it: reset \(name)"
    }

    private static func sentence(_ field: Field) -> String {
        "\(ProfileField.subject([field.field])) was changed elsewhere to \(quoted(field.theirs)), "
            + "here to \(quoted(field.yours))."
    }

    private static func quoted(_ text: String?) -> String {
        guard let text else { return "nothing" }
        return text.count > maximumText ? "'\(text.prefix(maximumText))…'" : "'\(text)'"
    }

    private static let maximumText = 100
}
