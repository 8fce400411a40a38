/// One rule that one value breaks.
struct ValidationFinding: Hashable, Sendable {
    /// The argument's name: `name`.
    let field: String
    /// A sentence that names the field.
    let message: String
}

extension ValidationFinding {
    /// What is wrong with a number that has to be within a range; nothing where it is.
    static func checking(_ name: String, _ value: Int, within range: ClosedRange<Int>) -> [ValidationFinding]
    {
        guard !range.contains(value) else { return [] }
        let bound =
            value < range.lowerBound ? "at least \(range.lowerBound)" : "at most \(range.upperBound)"
        return [ValidationFinding(field: name, message: "The \(name) must be \(bound), not \(value).")]
    }
}
