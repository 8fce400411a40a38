@_spi(Host) internal import AtriumKit

/// A prefix tree of screens by the segments of their patterns.
///
/// Of several matching patterns the first in ``PatternOrder`` wins: at the first segment that differs, a
/// literal comes before an argument, then the end of the path, then a tail. The order of registration does
/// not matter.
@MainActor
final class PatternTree {
    private var literals: [String: PatternTree] = [:]
    private var argument: PatternTree?
    /// The screen for a path that ends here.
    private var end: ScreenRegistration?
    /// The screen for a path that ends here or continues with any segments.
    private var tail: ScreenRegistration?

    /// The place of a screen at a node; two patterns with the same slot would be ambiguous.
    private typealias Slot = ReferenceWritableKeyPath<PatternTree, ScreenRegistration?>

    /// A screen with the same slot as a pattern, and a link that matches both.
    struct Conflict {
        let screen: ScreenRegistration
        let example: String
    }

    /// Adds a screen whose pattern has no conflict.
    func insert(_ screen: ScreenRegistration) {
        for (path, slot) in Self.slots(of: screen.pattern) {
            path.reduce(self) { $0.makeChild($1) }[keyPath: slot] = screen
        }
    }

    /// Removes a screen and the nodes that only it needed.
    func remove(_ screen: ScreenRegistration) {
        for (path, slot) in Self.slots(of: screen.pattern) { remove(screen, path[...], slot) }
    }

    /// The first conflict with a screen for which `isRelevant` returns true.
    func conflict(
        of pattern: LinkPattern, where isRelevant: (ScreenRegistration) -> Bool = { _ in true }
    ) -> Conflict? {
        for (path, slot) in Self.slots(of: pattern) {
            let node = path.reduce(self as PatternTree?) { $0?.child($1) }
            guard let screen = node?[keyPath: slot], isRelevant(screen) else { continue }
            let example = path.map { segment in if case .literal(let text) = segment { text } else { "1" } }
            return Conflict(screen: screen, example: Link(segments: example).description)
        }
        return nil
    }

    /// Takes one look-up per segment, more only to backtrack from a literal.
    func screen(at path: [String], from index: Int = 0) -> ScreenRegistration? {
        guard index < path.count else { return end ?? tail }
        if !literals.isEmpty, let found = literals[path[index]]?.screen(at: path, from: index + 1) {
            return found
        }
        return argument?.screen(at: path, from: index + 1) ?? tail
    }

    /// The screens whose patterns begin with `segment` or an argument, unsorted.
    func screens(beginningWith segment: String) -> [ScreenRegistration] {
        // A pattern with optional arguments is at several nodes.
        var seen: Set<ObjectIdentifier> = []
        return ((literals[segment]?.all ?? []) + (argument?.all ?? [])).filter {
            seen.insert(ObjectIdentifier($0)).inserted
        }
    }

    private var all: [ScreenRegistration] {
        [end, tail].compactMap { $0 } + literals.values.flatMap(\.all) + (argument?.all ?? [])
    }

    var isEmpty: Bool { literals.isEmpty && argument == nil && end == nil && tail == nil }

    /// The slots of a pattern: one for each number of optional arguments.
    private static func slots(of pattern: LinkPattern) -> [(path: [LinkPattern.Segment], slot: Slot)] {
        let required = pattern.segments.prefix { !$0.mayBeAbsent }
        let absent = pattern.segments.dropFirst(required.count)
        if case .tail = absent.last { return [(Array(required), \.tail)] }
        return (0...absent.count).map { (Array(required + absent.prefix($0)), \.end) }
    }

    private func child(_ segment: LinkPattern.Segment) -> PatternTree? {
        if case .literal(let text) = segment { literals[text] } else { argument }
    }

    private func makeChild(_ segment: LinkPattern.Segment) -> PatternTree {
        if let child = child(segment) { return child }
        let child = PatternTree()
        if case .literal(let text) = segment { literals[text] = child } else { argument = child }
        return child
    }

    private func remove(_ screen: ScreenRegistration, _ path: ArraySlice<LinkPattern.Segment>, _ slot: Slot) {
        guard let segment = path.first else {
            if self[keyPath: slot] === screen { self[keyPath: slot] = nil }
            return
        }
        guard let child = child(segment) else { return }
        child.remove(screen, path.dropFirst(), slot)
        guard child.isEmpty else { return }
        if case .literal(let text) = segment { literals[text] = nil } else { argument = nil }
    }
}
