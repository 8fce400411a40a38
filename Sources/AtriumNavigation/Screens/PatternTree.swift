@_spi(Host) internal import AtriumKit

/// A prefix tree of screens by the segments of their patterns.
///
/// Of several matching patterns the first in ``PatternAttempt`` wins: at the first segment in which they differ,
/// a literal comes before an argument, then the end of the path, then a tail. The order of registration does not
/// matter.
@MainActor
final class PatternTree {
    private let top = Node()

    /// Where a screen stands at a node; two patterns with the same slot would be ambiguous.
    enum Slot {
        /// The path ends here.
        case end
        /// The path ends here or continues with any segments.
        case tail
    }

    /// A screen with the same slot as a pattern, and a link that matches both.
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

    /// Removes a screen and the nodes that it alone needed.
    func remove(_ screen: ScreenRegistration) {
        for (path, slot) in Self.slots(of: screen.pattern) { top.remove(screen, path[...], slot) }
    }

    /// The first conflict with a screen for which `isRelevant` returns true.
    func conflict(
        of pattern: LinkPattern, where isRelevant: (ScreenRegistration) -> Bool = { _ in true }
    ) -> Conflict? {
        for (path, slot) in Self.slots(of: pattern) {
            guard let screen = node(path)?[slot], isRelevant(screen) else { continue }
            return Conflict(screen: screen, example: Self.example(path))
        }
        return nil
    }

    /// The screen of a path.
    ///
    /// Takes one look-up for each segment, more only if it has to backtrack from a literal.
    func screen(at path: [String]) -> ScreenRegistration? {
        top.find(path, 0)
    }

    /// The screens whose patterns begin with `segment` or an argument, unsorted.
    func screens(beginningWith segment: String) -> [ScreenRegistration] {
        var found: [ScreenRegistration] = []
        top.literals[segment]?.collect(into: &found)
        top.argument?.collect(into: &found)
        // A pattern with optional arguments stands at several nodes.
        var seen: Set<ObjectIdentifier> = []
        return found.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// The number of nodes below the root.
    var nodeCount: Int { top.count - 1 }

    private func node(_ path: [LinkPattern.Segment]) -> Node? {
        var node = top
        for segment in path {
            guard let next = node.child(segment, creating: false) else { return nil }
            node = next
        }
        return node
    }

    /// The slots of a pattern: one for each number of optional arguments.
    private static func slots(of pattern: LinkPattern) -> [(path: [LinkPattern.Segment], slot: Slot)] {
        let required = pattern.segments.prefix { !$0.mayBeAbsent }
        let absent = pattern.segments.dropFirst(required.count)
        if case .tail = absent.last { return [(Array(required), .tail)] }
        return (0...absent.count).map { (Array(required + absent.prefix($0)), .end) }
    }

    /// A link that leads to a node.
    private static func example(_ path: [LinkPattern.Segment]) -> String {
        let segments = path.map { segment in
            if case .literal(let text) = segment { text } else { "1" }
        }
        return Link(segments: segments).description
    }
}

/// The screens and segments that may follow a prefix.
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
