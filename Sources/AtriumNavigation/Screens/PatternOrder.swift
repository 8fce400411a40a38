@_spi(Host) internal import AtriumKit

/// The order in which patterns win: segment by segment a literal, an argument, the end, a tail.
enum PatternOrder {
    /// Whether the first of two patterns wins over the second for the links that both have; patterns without
    /// a link in common are ordered by their literals.
    static func precedes(_ first: LinkPattern, _ second: LinkPattern) -> Bool {
        for index in 0..<max(first.segments.count, second.segments.count) {
            let ranks = (rank(first, index), rank(second, index))
            if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
            if case (.literal(let one), .literal(let other)) = (first.segments[index], second.segments[index]),
                one != other
            {
                return one < other
            }
        }
        return first.description < second.description
    }

    /// Why the first of two patterns that a link has wins over the second.
    static func reason(_ winner: LinkPattern, over other: LinkPattern, for link: Link) -> String {
        for index in 0...link.segments.count
        where rank(winner, index, of: link) != rank(other, index, of: link) {
            let place =
                index < link.segments.count
                ? "segment \(index + 1), '\(link.segments[index])'," : "the end after segment \(index)"
            return "\(place) is \(name(winner, index, of: link)), which comes before "
                + "\(name(other, index, of: link)) of '\(other)'"
        }
        return "it comes before '\(other)'"
    }

    private static func rank(_ pattern: LinkPattern, _ index: Int) -> Int {
        guard index < pattern.segments.count else { return 2 }
        return switch pattern.segments[index] {
        case .literal: 0
        case .argument, .optional: 1
        case .tail: 3
        }
    }

    private static func rank(_ pattern: LinkPattern, _ index: Int, of link: Link) -> Int {
        if case .tail = pattern.segments.last, index >= pattern.segments.count - 1 { return 3 }
        return index < link.segments.count ? rank(pattern, index) : 2
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
