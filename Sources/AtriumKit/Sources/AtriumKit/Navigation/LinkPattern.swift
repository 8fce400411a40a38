/// The form of a destination's links: literal segments and `:name` for arguments, as in `entities/:id`.
public struct LinkPattern: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The segments, in order.
    public let segments: [Segment]

    public init(stringLiteral value: String) {
        segments = value.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.hasPrefix(":") ? .argument(String(segment.dropFirst())) : .literal(String(segment))
        }
    }

    /// A literal or an argument.
    @frozen public enum Segment: Hashable, Sendable {
        case literal(String)
        case argument(String)
    }

    /// The pattern as it is written.
    public var description: String {
        segments.map { segment in
            switch segment {
            case .literal(let text): text
            case .argument(let name): ":" + name
            }
        }.joined(separator: "/")
    }

    /// The arguments of the pattern, by name, where the path matches it.
    func match(_ path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let literal): guard literal == text else { return nil }
            case .argument(let name): values[name] = text
            }
        }
        return values
    }

    /// The link with `values` in it: in the path where the pattern names them, else in the query.
    func link(with values: [Link.QueryItem]) throws -> Link {
        var query = values
        let path = try segments.map { segment in
            switch segment {
            case .literal(let text): return text
            case .argument(let name):
                guard let index = query.firstIndex(where: { $0.name == name }), !query[index].value.isEmpty
                else {
                    throw LinkError.missingValue(name, pattern: self)
                }
                return query.remove(at: index).value
            }
        }
        return Link(segments: path, query: query)
    }
}

extension LinkPattern {
    /// Whether links of this form carry arguments in their path.
    @_spi(Host) public var hasArguments: Bool {
        segments.contains { if case .argument = $0 { true } else { false } }
    }

    /// Whether every link that has one of the two forms has the other.
    @_spi(Host) public func hasSameForm(as other: LinkPattern) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { own, other in
                switch (own, other) {
                case (.literal(let first), .literal(let second)): first == second
                case (.argument, .argument): true
                default: false
                }
            }
    }

    /// Whether the path of `link` has this form.
    @_spi(Host) public func matches(_ link: Link) -> Bool {
        match(link.segments) != nil
    }
}
