/// One rule that one field breaks.
struct ValidationFinding: Hashable, Sendable {
    /// The argument's name: `email`.
    let field: String
    /// A sentence that names the field.
    let message: String
}
