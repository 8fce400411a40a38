/// The form of a destination's links, for reading and for printing them.
///
/// | segment | meaning |
/// |---|---|
/// | `entities` | itself |
/// | `:id` | the property `id` |
/// | `:id?` | the property `id`, which may be absent; only others of its kind may follow |
/// | `:path*` | any number of segments, also none, as one property: a list, or text joined by `/`; the last |
///
/// Every other property of the destination is in the query. A segment that may be absent can't be the first
/// one: a link has a path.
public struct LinkPattern: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The segments, in order.
    public let segments: [Segment]
    /// The text of the pattern.
    public let description: String
    /// The reason that the text is not a valid pattern, as the end of a sentence; nil if it is.
    public let problem: String?
    let minimumCount: Int
    /// The segments without the tail: the text of literals, nil for the others.
    let template: [String?]

    /// Reads a pattern; one that is not valid has a ``problem``, and its registration is refused.
    public init(stringLiteral value: String) {
        let reader = LinkPatternReader(value)
        description = value
        segments = reader.segments
        problem = reader.problem
        minimumCount = segments.count { !$0.mayBeAbsent }
        template = segments.prefix { if case .tail = $0 { false } else { true } }.map { segment in
            if case .literal(let text) = segment { text } else { nil }
        }
    }

    /// A part of a pattern.
    @frozen public enum Segment: Hashable, Sendable {
        /// Text that matches itself.
        case literal(String)
        /// A property.
        case argument(String)
        /// A property that may be absent.
        case optional(String)
        /// Any number of segments as one property.
        case tail(String)

        /// The name of the property; nil for a literal.
        public var name: String? {
            switch self {
            case .literal: nil
            case .argument(let name), .optional(let name), .tail(let name): name
            }
        }

        /// True if a path may lack the segment.
        public var mayBeAbsent: Bool {
            switch self {
            case .literal, .argument: false
            case .optional, .tail: true
            }
        }
    }
}

extension LinkPattern {
    /// True if a link needs a value for the path, apart from optional segments and the tail.
    @_spi(Host) public var hasArguments: Bool {
        segments.contains { if case .argument = $0 { true } else { false } }
    }

    /// The start of every link of this form, up to the first argument: a whole link if there is none.
    @_spi(Host) public var beginning: String {
        var literals: [String] = []
        for segment in segments {
            guard case .literal(let text) = segment else { break }
            literals.append(text)
        }
        let text = literals.map(PercentEncoding.encodeSegment).joined(separator: "/")
        return hasArguments && !literals.isEmpty ? text + "/" : text
    }

    /// True if the path of `link` has this form.
    @_spi(Host) public func matches(_ link: Link) -> Bool { matches(link.segments) }

    /// The index of a property's segment; nil if the property is in the query.
    func index(of name: String) -> Int? { segments.firstIndex { $0.name == name } }

    func matches(_ path: [String]) -> Bool {
        guard path.count >= minimumCount, problem == nil,
            path.count <= segments.count || template.count < segments.count
        else {
            return false
        }
        for index in segments.indices where index < path.count {
            if case .literal(let text) = segments[index], text != path[index] { return false }
        }
        return true
    }

    // MARK: - Order

    /// The rank of the segment at `index`: 0 for a literal, 1 for an argument, 2 for the end, 3 for a tail.
    @_spi(Host) public func rank(at index: Int) -> Int {
        guard index < segments.count else { return 2 }
        return switch segments[index] {
        case .literal: 0
        case .argument, .optional: 1
        case .tail: 3
        }
    }

    /// True if this pattern wins for links that match both: the first segment in which their ranks differ
    /// decides, then the literals.
    @_spi(Host) public func precedes(_ other: LinkPattern) -> Bool {
        for index in 0..<max(segments.count, other.segments.count) {
            let (own, others) = (rank(at: index), other.rank(at: index))
            if own != others { return own < others }
            if case (.literal(let one), .literal(let two)) = (segments[index], other.segments[index]),
                one != two
            {
                return one < two
            }
        }
        return description < other.description
    }
}
