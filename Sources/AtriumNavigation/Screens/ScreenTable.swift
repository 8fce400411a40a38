@_spi(Host) package import AtriumKit

/// The screens of all active modules, found by link.
///
/// Patterns stand in a tree of segments, so that the cost of finding one does not grow with their number.
/// A literal segment wins over an argument.
@MainActor
package final class ScreenTable {
    private let top = Node()
    private var byType: [ObjectIdentifier: ScreenRegistration] = [:]

    package init() {}

    /// Every screen, by pattern.
    package var all: [ScreenRegistration] {
        byType.values.sorted { $0.pattern.description < $1.pattern.description }
    }

    /// Adds screens, all of them or none.
    ///
    /// - Throws: ``NavigationError`` with code `ambiguousLink`, naming both modules, where a link would
    ///   lead to two screens.
    package func add(_ screens: [ScreenRegistration]) throws {
        for (index, screen) in screens.enumerated() {
            if let present = node(of: screen.pattern)?.screen {
                screens[..<index].forEach(remove)
                throw NavigationError.ambiguous(screen, present)
            }
            node(of: screen.pattern, creating: true)?.screen = screen
            byType[screen.destinationType] = screen
        }
    }

    /// Checks that screens can take the place of those of some modules; changes nothing.
    ///
    /// - Throws: ``NavigationError`` with code `ambiguousLink`, as ``add(_:)``.
    package func check(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) throws {
        var checked: [ScreenRegistration] = []
        for screen in screens {
            let present = node(of: screen.pattern)?.screen
            let twin = checked.first { $0.pattern.hasSameForm(as: screen.pattern) }
            if let taken = twin ?? present.flatMap({ modules.contains($0.module) ? nil : $0 }) {
                throw NavigationError.ambiguous(screen, taken)
            }
            checked.append(screen)
        }
    }

    /// Puts screens in the place of those of some modules, which was checked.
    package func exchange(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) {
        for screen in byType.values where modules.contains(screen.module) { remove(screen) }
        for screen in screens {
            node(of: screen.pattern, creating: true)?.screen = screen
            byType[screen.destinationType] = screen
        }
    }

    /// Removes the screens of a module.
    package func remove(module: String) {
        all.filter { $0.module == module }.forEach(remove)
    }

    private func remove(_ screen: ScreenRegistration) {
        node(of: screen.pattern)?.screen = nil
        byType[screen.destinationType] = nil
    }

    /// The screen that shows `destination`.
    func screen(for destination: any Destination) -> ScreenRegistration? {
        byType[ObjectIdentifier(type(of: destination))]
    }

    /// The screen of a stack entry.
    func screen(of entry: StackEntry) -> ScreenRegistration? {
        byType.values.first { $0.module == entry.module && $0.name == entry.destination }
    }

    /// The screen that a link leads to.
    package func screen(for link: Link) -> ScreenRegistration? {
        top.find(link.segments[...])
    }

    private func node(of pattern: LinkPattern, creating: Bool = false) -> Node? {
        var node = top
        for segment in pattern.segments {
            guard let next = node.child(segment, creating: creating) else { return nil }
            node = next
        }
        return node
    }
}

/// What may follow a prefix of segments.
@MainActor
private final class Node {
    var screen: ScreenRegistration?
    private var literals: [String: Node] = [:]
    private var argument: Node?

    func child(_ segment: LinkPattern.Segment, creating: Bool) -> Node? {
        switch segment {
        case .literal(let text):
            if literals[text] == nil, creating { literals[text] = Node() }
            return literals[text]
        case .argument:
            if argument == nil, creating { argument = Node() }
            return argument
        }
    }

    func find(_ segments: ArraySlice<String>) -> ScreenRegistration? {
        guard let first = segments.first else { return screen }
        let rest = segments.dropFirst()
        return literals[first]?.find(rest) ?? argument?.find(rest)
    }
}

/// A pattern that was tried for a link.
package struct PatternAttempt: Sendable, Hashable {
    package let pattern: LinkPattern
    package let module: String
    package let outcome: String
}

extension ScreenTable {
    package func explain(_ link: Link) -> [PatternAttempt] {
        all.filter { $0.pattern.matches(link) }.map {
            PatternAttempt(pattern: $0.pattern, module: $0.module, outcome: "matched")
        }
    }
}
