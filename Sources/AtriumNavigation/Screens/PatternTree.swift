@_spi(Host) internal import AtriumKit

/// Screens by the segments of their patterns, so that the cost of finding one does not grow with their number.
///
/// A node stands for what is before a segment. Of the patterns that a link has, the first wins in the order
/// of ``PatternOrder``: at the first segment in which they differ a literal comes before an argument, then
/// the end of the path, then a tail. So the longest literal beginning wins, in whatever order they were added.
@MainActor
final class PatternTree {
    private let top = Node()

    /// A place for one screen in the tree: two patterns that have one in common have links in common between
    /// which nothing decides.
    enum Slot {
        /// The path ends here.
        case end
        /// The path ends here, or goes on with anything.
        case tail
    }

    /// A screen that a pattern would take the place of, and a link that both have.
    struct Conflict {
        let screen: ScreenRegistration
        let example: String
    }

    /// Adds a screen whose pattern has no conflict.
    func insert(_ screen: ScreenRegistration) {
        for (path, slot) in Self.slots(of: screen.pattern) {
            let node = path.reduce(top) { $0.child($1, creating: true) ?? $0 }
            node[slot] = screen
        }
    }

    /// Removes a screen, and what stood in the tree for it alone.
    func remove(_ screen: ScreenRegistration) {
        for (path, slot) in Self.slots(of: screen.pattern) { top.remove(screen, path[...], slot) }
    }

    /// The first screen in the way of a pattern that `isInTheWay` says counts.
    func conflict(
        of pattern: LinkPattern, where isInTheWay: (ScreenRegistration) -> Bool = { _ in true }
    ) -> Conflict? {
        for (path, slot) in Self.slots(of: pattern) {
            guard let screen = node(path)?[slot], isInTheWay(screen) else { continue }
            return Conflict(screen: screen, example: Self.example(path))
        }
        return nil
    }

    /// The screen of a path.
    ///
    /// Costs one look-up for each segment, where no literal leads astray; at most one for each node of the
    /// tree.
    func screen(at path: [String]) -> ScreenRegistration? {
        top.find(path, 0)
    }

    /// The screens whose patterns begin with `segment`, or with an argument, in no order.
    func screens(beginningWith segment: String) -> [ScreenRegistration] {
        var found: [ScreenRegistration] = []
        top.literals[segment]?.collect(into: &found)
        top.argument?.collect(into: &found)
        // One with optional arguments stands at several nodes.
        var seen: Set<ObjectIdentifier> = []
        return found.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// How many nodes there are besides the one that all paths start from.
    var nodeCount: Int { top.count - 1 }

    private func node(_ path: [LinkPattern.Segment]) -> Node? {
        var node = top
        for segment in path {
            guard let next = node.child(segment, creating: false) else { return nil }
            node = next
        }
        return node
    }

    /// Where a pattern stands: once for each number of arguments that a path may have.
    private static func slots(of pattern: LinkPattern) -> [(path: [LinkPattern.Segment], slot: Slot)] {
        let required = pattern.segments.prefix { !$0.mayBeAbsent }
        let absent = pattern.segments.dropFirst(required.count)
        if case .tail = absent.last { return [(Array(required), .tail)] }
        return (0...absent.count).map { (Array(required + absent.prefix($0)), .end) }
    }

    /// A link that goes to a node.
    private static func example(_ path: [LinkPattern.Segment]) -> String {
        let segments = path.map { segment in
            if case .literal(let text) = segment { text } else { "1" }
        }
        return Link(segments: segments).description
    }
}

/// What may follow a prefix of segments.
@MainActor
private final class Node {
    private(set) var literals: [String: Node] = [:]
    private(set) var argument: Node?
    private var end: ScreenRegistration?
    private var tail: ScreenRegistration?

    subscript(slot: PatternTree.Slot) -> ScreenRegistration? {
        get { slot == .end ? end : tail }
        set { if slot == .end { end = newValue } else { tail = newValue } }
    }

    func child(_ segment: LinkPattern.Segment, creating: Bool) -> Node? {
        if case .literal(let text) = segment {
            if literals[text] == nil, creating { literals[text] = Node() }
            return literals[text]
        }
        if argument == nil, creating { argument = Node() }
        return argument
    }

    func find(_ path: [String], _ index: Int) -> ScreenRegistration? {
        guard index < path.count else { return end ?? tail }
        if !literals.isEmpty, let found = literals[path[index]]?.find(path, index + 1) { return found }
        return argument?.find(path, index + 1) ?? tail
    }

    func collect(into found: inout [ScreenRegistration]) {
        if let end { found.append(end) }
        if let tail { found.append(tail) }
        for node in literals.values { node.collect(into: &found) }
        argument?.collect(into: &found)
    }

    var count: Int { literals.values.reduce(1 + (argument?.count ?? 0)) { $0 + $1.count } }

    private var isEmpty: Bool { literals.isEmpty && argument == nil && end == nil && tail == nil }

    func remove(
        _ screen: ScreenRegistration, _ path: ArraySlice<LinkPattern.Segment>, _ slot: PatternTree.Slot
    ) {
        guard let segment = path.first else {
            if self[slot] === screen { self[slot] = nil }
            return
        }
        guard let child = child(segment, creating: false) else { return }
        child.remove(screen, path.dropFirst(), slot)
        guard child.isEmpty else { return }
        if case .literal(let text) = segment { literals[text] = nil } else { argument = nil }
    }
}
