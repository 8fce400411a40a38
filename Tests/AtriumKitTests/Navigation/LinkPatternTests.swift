import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Link patterns")
struct LinkPatternTests {
    @Test("A pattern is parsed into segments, and printed as written")
    func parsing() {
        let edit: LinkPattern = "entities/:id/edit"
        let report: LinkPattern = "reports/:year/:month?/:day?"
        let files: LinkPattern = "files/:path*"

        #expect(edit.segments == [.literal("entities"), .argument("id"), .literal("edit")])
        #expect(
            report.segments == [.literal("reports"), .argument("year"), .optional("month"), .optional("day")])
        #expect(files.segments == [.literal("files"), .tail("path")])
        for pattern in [edit, report, files] { #expect(pattern.problem == nil) }
        #expect(report.description == "reports/:year/:month?/:day?")
        #expect(files == LinkPattern(stringLiteral: files.description))
    }

    @Test(
        "A pattern knows whether it requires arguments, and how its links begin",
        arguments: [
            ("entities/new", false, "entities/new"), ("entities/:id/edit", true, "entities/"),
            ("entities/:id?", false, "entities"), ("files/:path*", false, "files"), (":user", true, ""),
        ] as [(LinkPattern, Bool, String)])
    func beginning(_ pattern: LinkPattern, _ hasArguments: Bool, _ beginning: String) {
        #expect(pattern.hasArguments == hasArguments)
        #expect(pattern.beginning == beginning)
    }

    @Test(
        "A path matches if every literal is equal and the number of segments fits",
        arguments: [
            ("entities/:id/edit", ["entities/42/edit", "entities/edit/edit"]),
            ("reports/:year/:month?", ["reports/2026", "reports/2026/7"]),
            ("files/:path*", ["files", "files/a", "files/a/b/c"]),
        ] as [(LinkPattern, [String])])
    func matching(_ pattern: LinkPattern, _ links: [String]) throws {
        let others = [
            "entities", "entities/42", "entities/42/edit/more", "Entities/42/edit", "reports",
            "reports/1/2/3",
            "file",
        ]

        for link in links { #expect(pattern.matches(try Link(link)), "\(link)") }
        for link in others { #expect(!pattern.matches(try Link(link)), "\(link)") }
    }

    @Test("Matching ignores the query")
    func query() throws {
        #expect(LinkPattern("entities").matches(try Link("entities?page=2")))
        #expect(!LinkPattern("entities").matches(try Link("entities/2")))
    }

    @Test(
        "A malformed pattern has a problem and matches nothing",
        arguments: [
            ("", "it is empty"),
            ("/a", "segment 1 is empty"),
            ("a//b", "segment 2 is empty"),
            ("a/", "segment 2 is empty"),
            ("a/:", "segment 2, ':', has no name behind ':'"),
            ("a/:?", "segment 2, ':?', has no name behind ':'"),
            ("a/::id", "'::id' does not name a property: a name has letters, digits and '_'"),
            ("a/:1", "':1' does not name a property: a name has letters, digits and '_'"),
            ("a/:b-c", "':b-c' does not name a property: a name has letters, digits and '_'"),
            ("a/:id/:id", "it names 'id' twice"),
            ("a/:id/:id*", "it names 'id' twice"),
            ("a/:x*/:y*", "it has two tails, ':x*' and ':y*'"),
            ("a/:x*/b", "something follows ':x*', which takes all the rest"),
            ("a/:x?/b", "':x?' is optional and stands in the middle"),
            ("a/:x?/:y", "':x?' is optional and stands in the middle"),
            ("a/:x?/:y*", "':x?' is optional and stands in the middle"),
            (":x?", "it has no segment that every link has; put one first, such as 'files/:path*'"),
            (":x*", "it has no segment that every link has; put one first, such as 'files/:path*'"),
            ("a/b?", "'b?' has no value that could say whether it is there; only an argument is optional"),
            ("a/*", "'*' has '*' in it"),
            ("a/b:c", "'b:c' has ':' in it"),
            ("a/(b)", "'(b)' has '(' in it"),
            ("a b", "'a b' has a space or control character in it"),
            ("a%20b", "'a%20b' has '%' in it"),
            (
                (1...33).map { "s\($0)" }.joined(separator: "/"),
                "it has more than 32 segments"
            ),
        ])
    func problems(_ text: String, _ problem: String) {
        let pattern = LinkPattern(stringLiteral: text)

        #expect(pattern.problem == problem)
        #expect(pattern.description == text)
        #expect(!pattern.matches(Link(segments: pattern.segments.map { _ in "a" })))
    }

    @Test("A random text has a problem, or is a pattern that matches a link", arguments: 0..<4)
    func anyText(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var sound = 0
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...6, using: &generator))
                .map { _ in ["a", "b", ":", "/", "?", "*", "é"].randomElement(using: &generator) ?? "" }
                .joined()
            let pattern = LinkPattern(stringLiteral: text)
            guard pattern.problem == nil else { continue }
            sound += 1
            let path = pattern.segments.map { if case .literal(let literal) = $0 { literal } else { "x" } }
            try #require(pattern.matches(Link(segments: path)), "\(text)")
        }

        #expect(sound > 100)
    }
}
