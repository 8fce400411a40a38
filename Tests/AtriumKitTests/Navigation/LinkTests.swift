import AtriumKit
import TestSupport
import Testing

@Suite("Links")
struct LinkTests {
    private typealias Item = Link.QueryItem

    @Test("A link is parsed into decoded segments and query items, in order")
    func parsing() throws {
        let link = try Link("entities/caf%C3%A9%20au%2Flait/日本?search=a%26b%3Dc&sort=name&sort=-age")

        #expect(link.segments == ["entities", "café au/lait", "日本"])
        #expect(
            link.query == [
                Item(name: "search", value: "a&b=c"), Item(name: "sort", value: "name"),
                Item(name: "sort", value: "-age"),
            ])
    }

    @Test(
        "A query item may lack its value; empty items are ignored",
        arguments: [
            ("a?b", [Item(name: "b", value: "")]),
            ("a?b=", [Item(name: "b", value: "")]),
            ("a?b=c=d", [Item(name: "b", value: "c=d")]),
            ("a?", []),
            ("a?&&b=1&", [Item(name: "b", value: "1")]),
            ("a?b=c?d", [Item(name: "b", value: "c?d")]),
        ])
    private func queries(_ text: String, _ query: [Item]) throws {
        #expect(try Link(text) == Link(segments: ["a"], query: query))
    }

    @Test(
        "The error about a malformed link hides secrets in its query",
        arguments: ["a?password=hunter2#x", "/a?x=1&token=hunter2"])
    private func secrets(_ text: String) {
        let error = #expect(throws: LinkError.self) { try Link(text) }

        #expect(error?.message.contains("=…") == true)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test("Letters of all scripts are printed literally, other characters percent-encoded")
    func printing() {
        let link = Link(
            segments: ["Übersicht", "a b/c"],
            query: [Item(name: "q&a", value: "100 % = 😀+1"), Item(name: "x", value: "")])

        #expect(link.description == "Übersicht/a%20b%2Fc?q%26a=100%20%25%20%3D%20%F0%9F%98%80%2B1&x=")
    }

    @Test("An empty segment is written as '=', and the text '=' is percent-encoded")
    func emptySegment() throws {
        let link = Link(segments: ["", "=", "=="])

        #expect(link.description == "=/%3D/%3D%3D")
        #expect(try Link("=/%3D/%3D%3D") == link)
    }

    @Test("Dots and plus signs are literal, and percent-encoded plain characters are decoded")
    func plainText() throws {
        #expect(try Link("../a+b/.?x=1+1").segments == ["..", "a+b", "."])
        #expect(try Link("a?x=1+1").query == [Item(name: "x", value: "1+1")])
        #expect(try Link("%61%2e%7E") == Link(segments: ["a.~"]))
    }

    @Test("Unicode scalars are preserved: nothing is composed or decomposed")
    func normalization() throws {
        for text in ["e\u{301}", "\u{E9}", "\u{212B}", "\u{1100}\u{1161}", "\u{301}a", "\u{345}"] {
            let link = Link(segments: [text, "x"], query: [Item(name: "q", value: text)])

            let read = try Link(link.description)

            #expect(read.segments[0].unicodeScalars.elementsEqual(text.unicodeScalars))
            #expect(read.query[0].value.unicodeScalars.elementsEqual(text.unicodeScalars))
        }
    }

    @Test("A link with a fragment is an error", arguments: ["a#b", "#", "a?b=c#d"])
    func fragment(_ text: String) {
        let error = #expect(throws: LinkError.self) { try Link(text) }

        #expect(
            error?.message
                == "'\(text)' is not a link: '#' separates a fragment, which links don't have.")
        #expect(error?.hint == "Write '%23' for a '#' in a value.")
    }

    @Test(
        "A malformed link is an error with the reason",
        arguments: [
            ("", "it has no path"),
            ("?a=b", "it has no path"),
            ("/a", "a segment of its path is empty"),
            ("a//b", "a segment of its path is empty"),
            ("a/", "a segment of its path is empty"),
            ("a%", "'%' is not followed by two hexadecimal digits"),
            ("a%2", "'%' is not followed by two hexadecimal digits"),
            ("a%zz", "'%' is not followed by two hexadecimal digits"),
            ("a%+1", "'%' is not followed by two hexadecimal digits"),
            ("a%é", "'%' is not followed by two hexadecimal digits"),
            ("a?b=%FF", "its percent-encoded bytes are not UTF-8"),
            ("a?%C3=b", "its percent-encoded bytes are not UTF-8"),
        ])
    func malformed(_ text: String, _ reason: String) {
        let error = #expect(throws: LinkError.self) { try Link(text) }

        #expect(error?.code == .badLink)
        #expect(error?.message == "'\(text)' is not a link: \(reason).")
        #expect(error?.hint == "links")
    }

    @Test("A link equals the one that is read from its text", arguments: 0..<4)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let link = Link(
                segments: (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                    generator.text(length: 0...6)
                },
                query: (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    Item(name: generator.text(length: 0...4), value: generator.text(length: 0...6))
                })

            try #require(try Link(link.description) == link, "\(link)")
        }
    }

    @Test("A random text that is a link prints as an equal link", arguments: 0..<4)
    func anyText(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var read = 0
        for _ in 0..<2000 {
            guard let link = try? Link(generator.text(length: 1...8)) else { continue }
            read += 1
            try #require(try Link(link.description) == link, "\(link)")
        }

        #expect(read > 100)
    }
}
