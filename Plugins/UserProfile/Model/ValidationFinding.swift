/// One rule that one field breaks.
struct ValidationFinding: Hashable, Sendable {
    let field: ProfileField
    /// A sentence that names the field.
    let message: String
}
