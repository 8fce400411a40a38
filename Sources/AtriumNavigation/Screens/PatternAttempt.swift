@_spi(Host) package import AtriumKit

/// A pattern tried for a link, and the result.
package struct PatternAttempt: Sendable, Hashable {
    package let pattern: LinkPattern
    /// The module that registered the pattern's screen.
    package let module: String
    /// True if the link opens its screen.
    package let isWinner: Bool
    /// The result as text, without a full stop.
    package let explanation: String
}

/// The precedence of patterns: segment by segment a literal, an argument, the end, a tail.
enum PatternOrder {
    /// The reason a link does not match a pattern.
    static func difference(of link: Link, from pattern: LinkPattern) -> String {
        for (index, (segment, text)) in zip(pattern.segments, link.segments).enumerated() {
            guard case .literal(let literal) = segment, literal != text else { continue }
            return "segment \(index + 1) is '\(text.excerpt)', not '\(literal)'"
        }
        let missing = pattern.segments.filter { !$0.mayBeAbsent }.count - link.segments.count
        let isLong = missing <= 0
        let count = isLong ? link.segments.count - pattern.segments.count : missing
        return "the link has \(count) \(isLong ? "more" : "fewer") \(count == 1 ? "segment" : "segments")"
    }

    /// The reason the first of two matching patterns takes precedence.
    static func reason(_ winner: LinkPattern, over other: LinkPattern, for link: Link) -> String {
        for index in 0...link.segments.count
        where rank(winner, index, of: link) != rank(other, index, of: link) {
            let position =
                index < link.segments.count
                ? "segment \(index + 1), '\(link.segments[index].excerpt)',"
                : "the end after segment \(index)"
            return "\(position) is \(name(winner, index, of: link)), which comes before "
                + "\(name(other, index, of: link)) of '\(other)'"
        }
        return "it comes before '\(other)'"
    }

    private static func rank(_ pattern: LinkPattern, _ index: Int, of link: Link) -> Int {
        if case .tail = pattern.segments.last, index >= pattern.segments.count - 1 { return 3 }
        return index < link.segments.count ? pattern.rank(at: index) : 2
    }

    private static func name(_ pattern: LinkPattern, _ index: Int, of link: Link) -> String {
        switch rank(pattern, index, of: link) {
        case 0: "a literal"
        case 1: "the argument ':\(pattern.segments[index].name ?? "")'"
        case 2: "the end"
        default: "the tail ':\(pattern.segments.last?.name ?? "")*'"
        }
    }
}
