@_spi(Host) internal import AtriumKit

/// The order in which patterns win: segment by segment a literal, an argument, the end, a tail.
enum PatternOrder {
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
