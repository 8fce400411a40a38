package import AtriumKit

/// The line below a list that gives the count; for programs only the number, as `total`.
package enum ClosingLine {
    /// `4 modules: 3 active, 1 resolved`; nothing for users where there is nothing to count.
    package static func total(_ count: Int, _ noun: String, _ rest: String? = nil) -> Summary {
        let sentence = RecordNoun(noun).counted(count) + (rest.map { ": " + $0 } ?? "")
        return Summary(count == 0 ? nil : sentence, ["total": count])
    }
}
