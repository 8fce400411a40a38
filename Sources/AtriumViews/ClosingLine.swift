package import AtriumKit

/// The line below a list that gives the count; for programs only the number, as `total`.
package enum ClosingLine {
    /// `4 modules: 3 active, 1 resolved`; nothing for users where there is nothing to count.
    package static func total(_ count: Int, _ noun: String, _ rest: String? = nil) -> Summary {
        let sentence = Self.count(count, noun) + (rest.map { ": " + $0 } ?? "")
        return Summary(count == 0 ? nil : sentence, ["total": count])
    }

    /// `1 module`, `4 modules`, `4 stories`.
    package static func count(_ count: Int, _ noun: String) -> String {
        if count == 1 { return "1 \(noun)" }
        return "\(count) " + (noun.hasSuffix("ry") ? "\(noun.dropLast())ies" : "\(noun)s")
    }
}
