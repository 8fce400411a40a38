import AtriumKit

/// Consecutive numbers for one purpose.
struct Series: Hashable, Sendable {
    let name: String
    /// The number issued last.
    let last: Int

    /// Returns the problems of a series name.
    static func findings(in name: String) -> [ValidationFinding] {
        TextRule(subject: "The name of a series", maximum: 40).problems(of: name).map {
            ValidationFinding($0, field: "series")
        }
    }
}
