import AtriumKit

/// Consecutive numbers for one purpose.
struct Series: Hashable, Sendable {
    let name: String
    /// The number that was given out last.
    let last: Int

    /// What is wrong with the name of a series.
    static func findings(in name: String) -> [ValidationFinding] {
        TextRule(subject: "The name of a series", maximum: 40).problems(of: name).map {
            ValidationFinding($0, field: "series")
        }
    }
}
