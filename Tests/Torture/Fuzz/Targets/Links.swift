@_spi(Host) import AtriumKit

@testable import AtriumNavigation

private enum Sorting: String, Codable { case name, age }

private struct Shelf: Destination {
    static let pattern: LinkPattern = "shelves/:id/:part?"
    let id: Int
    let part: String?
    let order: Sorting?
    let height: Double?
    let small: UInt8?
    let isOpen: Bool?
    let labels: [String]
}

private struct Path: Destination {
    static let pattern: LinkPattern = "files/:path*"
    let path: [String]
    let line: Int?
}

extension FuzzTarget {
    /// Links, patterns, and the destinations that links name.
    static let links = FuzzTarget(name: "links") { bytes in
        let parts = bytes.split(separator: 10, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
        let text = parts.first ?? ""
        let pattern = LinkPattern(stringLiteral: parts.count > 1 ? parts[1] : "a/:id")
        _ = Link.shown(text)
        do {
            let link = try Link(text)
            let again = try Link(link.description)
            try require(again == link, "a link is read differently: \(link)")
            _ = (pattern.matches(link), pattern.beginning, pattern.hasArguments, link.shown)
            try roundTrip(Shelf(link: link))
            try roundTrip(Path(link: link))
        } catch let error as LinkError {
            try require(!error.message.isEmpty, "an error says nothing")
        }
        if pattern.problem == nil { try readPattern(pattern) }
    }

    private static func roundTrip<Place: Destination>(_ place: Place?) throws {
        guard let place else { return }
        let link = try place.link()
        let again = try Place(link: try Link(link.description))
        try require(again == place, "\(place) has the link \(link), which is \(String(describing: again))")
        let kept = try StateCoding.decode(Place.self, from: StateCoding.encode(place))
        try require(kept == place, "\(place) is kept as \(kept)")
    }

    private static func readPattern(_ pattern: LinkPattern) throws {
        let other: LinkPattern = "shelves/:id/:part?"
        try require(!pattern.precedes(pattern), "the pattern '\(pattern)' precedes itself")
        let isBoth = pattern.precedes(other) && other.precedes(pattern)
        try require(!isBoth, "'\(pattern)' and '\(other)' precede each other")
    }
}
