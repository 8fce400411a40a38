/// One rule that one value breaks.
struct ValidationFinding: Hashable, Sendable {
    /// The argument's name: `name`.
    let field: String
    /// A sentence that names the field.
    let message: String
}
