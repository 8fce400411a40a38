@_spi(Host) import AtriumKit
import TestSupport
import Testing

@testable import AtriumNavigation

/// A destination whose pattern is set while it is registered.
private struct Anywhere: Destination {
    @TaskLocal static var pattern: LinkPattern = "anywhere"
}

private struct AnywhereView: View {
    var body: Content { Title("Anywhere") }
}

/// Compares patterns one by one: the reference for the tree.
private struct PatternList {
    var patterns: [LinkPattern] = []

    func winner(_ link: Link) -> LinkPattern? {
        patterns.filter { $0.matches(link) }.sorted { $0.precedes($1) }.first
    }

    /// Whether two patterns match a common link and neither takes precedence.
    static func areAmbiguous(_ first: LinkPattern, _ second: LinkPattern) -> Bool {
        !Set(forms(first)).isDisjoint(with: forms(second))
    }

    private static func forms(_ pattern: LinkPattern) -> [String] {
        var forms: [String] = []
        var form = ""
        for segment in pattern.segments {
            switch segment {
            case .literal(let text): form += "/\(text)"
            case .argument: form += "/:"
            case .optional:
                forms.append(form)
                form += "/:"
            case .tail: form += "/*"
            }
        }
        return forms + [form]
    }
}

@Suite("The pattern tree")
@MainActor
struct PatternTreeTests {
    private func screen(_ pattern: String) -> ScreenRegistration {
        Anywhere.$pattern.withValue(LinkPattern(stringLiteral: pattern)) {
            ScreenRegistration(Anywhere.self, module: "Test") { _, _ in AnywhereView() }
        }
    }

    private func winner(among patterns: [String], of link: String) throws -> String? {
        let tree = PatternTree()
        for pattern in patterns { tree.insert(screen(pattern)) }
        return tree.screen(at: try Link(link).segments)?.pattern.description
    }

    @Test(
        "The longest literal prefix wins, then literal, argument, end and tail, in any order of insertion",
        arguments: [
            (["a/b/:x", "a/:x/c"], "a/b/c", "a/b/:x"),
            (["a/b/d", "a/:x/c"], "a/b/c", "a/:x/c"),
            (["a/b/c/d", "a/:x/c/:y", "a/:p*"], "a/b/c/e", "a/:x/c/:y"),
            (["a/b/c/d", "a/:x/c/d/e", "a/:p*"], "a/b/c/e", "a/:p*"),
            (["files", "files/:path*"], "files", "files"),
            (["files/:id?", "files/:path*"], "files", "files/:id?"),
            (["files/:id?", "files/:path*"], "files/1", "files/:id?"),
            (["files/:id?", "files/:path*"], "files/1/2", "files/:path*"),
            (["a/:x/:y?", "a/b/:p*"], "a/b", "a/b/:p*"),
            (["a/:p*", "a/b/:p*", "a/b/c/:p*"], "a/b/c", "a/b/c/:p*"),
            (["a/:p*", "a/b/:p*", "a/b/c/:p*"], "a/b/d", "a/b/:p*"),
            ([":x/b", "a/:x"], "a/b", "a/:x"),
            ([":x/b", "a/c"], "a/b", ":x/b"),
        ])
    func precedence(_ patterns: [String], _ link: String, _ expected: String) throws {
        #expect(try winner(among: patterns, of: link) == expected)
        #expect(try winner(among: patterns.reversed(), of: link) == expected)
    }

    @Test(
        "Patterns without precedence conflict; the conflict gives a link that both match",
        arguments: [
            ("a/:x", "a/:y", "a/1"), ("a/:x?", "a", "a"), ("a/:x?", "a/:y", "a/1"),
            ("a/:x?/:y?", "a/:z/:w", "a/1/1"), ("a/:x*", "a/:y*", "a"), (":x/b", ":y/b", "1/b"),
        ])
    func conflicts(_ first: String, _ second: String, _ example: String) {
        for (present, new) in [(first, second), (second, first)] {
            let tree = PatternTree()
            tree.insert(screen(present))

            let conflict = tree.conflict(of: LinkPattern(stringLiteral: new))

            #expect(conflict?.screen.pattern.description == present)
            #expect(conflict?.example == example)
            #expect(tree.conflict(of: LinkPattern(stringLiteral: new), where: { _ in false }) == nil)
        }
    }

    @Test(
        "Patterns do not conflict if one takes precedence",
        arguments: [
            ("a/:x", "a/b"), ("a", "a/:x*"), ("a/:x?", "a/:y*"), ("a/:x/c", "a/b/:y"), ("a/:x", "a/:x/:y"),
        ])
    func noConflict(_ first: String, _ second: String) {
        let tree = PatternTree()
        tree.insert(screen(first))

        #expect(tree.conflict(of: LinkPattern(stringLiteral: second)) == nil)
    }

    @Test("The tree finds the same pattern as a linear search, also after removals", arguments: 0..<6)
    func againstList(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let tree = PatternTree()
            var list = PatternList()
            var screens: [ScreenRegistration] = []
            for _ in 0..<25 {
                let screen = screen(generator.pattern())
                let isAmbiguous = list.patterns.contains { PatternList.areAmbiguous($0, screen.pattern) }
                try #require((tree.conflict(of: screen.pattern) != nil) == isAmbiguous, "\(screen.pattern)")
                guard !isAmbiguous else { continue }
                tree.insert(screen)
                screens.append(screen)
                list.patterns.append(screen.pattern)
            }
            for _ in 0..<8 where !screens.isEmpty {
                let removed = screens.remove(at: Int.random(in: screens.indices, using: &generator))
                tree.remove(removed)
                list.patterns.removeAll { $0 == removed.pattern }
            }

            for _ in 0..<60 {
                let path = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                    ["a", "b", "c"].randomElement(using: &generator) ?? "a"
                }
                let found = tree.screen(at: path)?.pattern
                try #require(found == list.winner(Link(segments: path)), "\(path) \(list.patterns)")
            }
        }
    }

    @Test("Removing a pattern removes its nodes")
    func pruning() {
        let tree = PatternTree()
        let removed = screen("a/:x/b/:y?")
        let kept = screen("a")
        tree.insert(removed)
        tree.insert(kept)

        tree.remove(removed)

        #expect(tree.screens(beginningWith: "a").map(\.pattern.description) == ["a"])
        #expect(tree.conflict(of: "a/:x/b") == nil)
        tree.remove(kept)
        #expect(tree.isEmpty)
    }
}

extension SeededGenerator {
    fileprivate mutating func pattern() -> String {
        let count = Int.random(in: 1...4, using: &self)
        var segments = (0..<count).map { index in
            ["a", "b", "c", ":x\(index)", ":x\(index)"].randomElement(using: &self) ?? "a"
        }
        switch Int.random(in: 0..<5, using: &self) {
        case 0: segments.append(":o?")
        case 1: segments += [":o?", ":p?"]
        case 2: segments.append(":t*")
        default: break
        }
        return segments.joined(separator: "/")
    }
}
