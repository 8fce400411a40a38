@_spi(Host) import AtriumKit
import TestSupport
import Testing

/// A destination that can be created with random values.
private protocol RandomDestination: Destination {
    static func random(_ generator: inout SeededGenerator) -> Self
}

private enum Size: Int, Codable, CaseIterable { case small = 1, large = -2 }
private enum Color: String, Codable, CaseIterable { case red, paleBlue = "pale blue/0", none = "" }

private struct Empty: RandomDestination {
    static let pattern: LinkPattern = "empty"
    static func random(_ generator: inout SeededGenerator) -> Self { Self() }
}

private struct Texts: RandomDestination {
    static let pattern: LinkPattern = "texts/:first/and/:second"
    let first: String
    let second: String
    let third: String
    let fourth: String?

    static func random(_ generator: inout SeededGenerator) -> Self {
        Self(
            first: generator.value(), second: generator.value(), third: generator.value(),
            fourth: generator.maybe { $0.value() })
    }
}

private struct Numbers: RandomDestination {
    static let pattern: LinkPattern = "numbers/:a/:b/:c"
    let a: Int
    let b: Double
    let c: UInt64
    let d: Int8
    let e: Float
    let f: Bool?

    static func random(_ generator: inout SeededGenerator) -> Self {
        Self(
            a: .random(in: .min ... .max, using: &generator), b: generator.number(),
            c: .random(in: .min ... .max, using: &generator),
            d: .random(in: .min ... .max, using: &generator),
            e: Float.random(in: -1e9...1e9, using: &generator),
            f: generator.maybe { .random(using: &$0) })
    }
}

private struct Options: RandomDestination {
    static let pattern: LinkPattern = ":kind/:id?/:note?"
    let kind: Color
    let id: Int?
    let note: String?
    let size: Size?

    static func random(_ generator: inout SeededGenerator) -> Self {
        let id = generator.maybe { Int.random(in: -9...9, using: &$0) }
        return Self(
            kind: Color.allCases.randomElement(using: &generator) ?? .red, id: id,
            note: id == nil ? nil : generator.maybe { $0.value() },
            size: generator.maybe { Size.allCases.randomElement(using: &$0) ?? .small })
    }
}

private struct TextTail: RandomDestination {
    static let pattern: LinkPattern = "files/:volume/:path*"
    let volume: String
    let path: String

    static func random(_ generator: inout SeededGenerator) -> Self {
        Self(volume: generator.value(), path: generator.value())
    }
}

private struct OptionalTail: RandomDestination {
    static let pattern: LinkPattern = "optional-files/:path*"
    let path: String?

    static func random(_ generator: inout SeededGenerator) -> Self {
        Self(path: generator.maybe { $0.value() })
    }
}

private struct ListTail: RandomDestination {
    static let pattern: LinkPattern = "lists/:parts*"
    let parts: [String]
    let sizes: [Size]

    static func random(_ generator: inout SeededGenerator) -> Self {
        Self(
            parts: generator.list { $0.value() },
            sizes: generator.list { Size.allCases.randomElement(using: &$0) ?? .small })
    }
}

private struct Lists: RandomDestination {
    static let pattern: LinkPattern = "queries"
    let tags: [String]
    let numbers: [Int]
    let flags: [Bool]
    let colors: Set<Color>
    let ratios: [Double]
    let note: String

    static func random(_ generator: inout SeededGenerator) -> Self {
        Self(
            tags: generator.list { $0.value() },
            numbers: generator.list { .random(in: .min ... .max, using: &$0) },
            flags: generator.list { .random(using: &$0) },
            colors: Set(generator.list { Color.allCases.randomElement(using: &$0) ?? .red }),
            ratios: generator.list { $0.number() }, note: generator.value())
    }
}

extension SeededGenerator {
    fileprivate mutating func value() -> String {
        if Int.random(in: 0..<4, using: &self) == 0 {
            return [
                "", " ", "/", "//", "%", "%2F", "?", "#", "=", "==", ".", "..", "+", "&", "a/b", "/a", "a/",
            ]
            .randomElement(using: &self) ?? ""
        }
        if Bool.random(using: &self) { return text(length: 0...6) }
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...4, using: &self) {
            // From all planes, including scalars that are not assigned.
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &self)) {
                text.append(scalar)
            }
        }
        return String(text)
    }

    fileprivate mutating func number() -> Double {
        let number = Double(bitPattern: .random(in: .min ... .max, using: &self))
        return number.isFinite ? number : 0
    }

    fileprivate mutating func maybe<Value>(_ make: (inout SeededGenerator) -> Value) -> Value? {
        Bool.random(using: &self) ? make(&self) : nil
    }

    fileprivate mutating func list<Value>(_ make: (inout SeededGenerator) -> Value) -> [Value] {
        (0..<Int.random(in: 0...3, using: &self)).map { _ in make(&self) }
    }
}

@Suite("Round trips of destinations through links")
struct LinkRoundTripTests {
    @Test("A destination equals the one that is read from its link, to the scalar", arguments: 0..<6)
    func roundTrip(seed: UInt64) throws {
        try check(Empty.self, seed, count: 1)
        try check(Texts.self, seed)
        try check(Numbers.self, seed)
        try check(Options.self, seed)
        try check(TextTail.self, seed)
        try check(OptionalTail.self, seed)
        try check(ListTail.self, seed)
        try check(Lists.self, seed)
    }

    private func check<Sample: RandomDestination>(_ type: Sample.Type, _ seed: UInt64, count: Int = 400)
        throws
    {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<count {
            let destination = Sample.random(&generator)

            let text = try destination.link().description
            let read = try #require(try Sample(link: Link(text)), "\(text)")

            try #require(read == destination, "\(text)")
            // Equality of texts does not distinguish composed and decomposed characters.
            let isSame = scalars(of: read) == scalars(of: destination)
            try #require(isSame, "\(text)")
        }
    }

    private func scalars(of destination: some Destination) -> [[String: [[Unicode.Scalar]]]] {
        Mirror(reflecting: destination).children.map { child in
            let texts = (child.value as? [String]) ?? [child.value as? String ?? ""]
            return [child.label ?? "": texts.map { Array($0.unicodeScalars) }]
        }
    }

    @Test(
        "Links are printed in the form in which people type them",
        arguments: [
            (Options(kind: .red, id: nil, note: nil, size: nil), "red"),
            (Options(kind: .red, id: 4, note: nil, size: .large), "red/4?size=-2"),
            (Options(kind: .none, id: 4, note: "", size: nil), "=/4/="),
            (TextTail(volume: "C", path: ""), "files/C"),
            (TextTail(volume: "C", path: "a b/c%/é"), "files/C/a%20b/c%25/é"),
            (TextTail(volume: "C", path: "/a//"), "files/C/=/a/=/="),
            (OptionalTail(path: nil), "optional-files"), (OptionalTail(path: ""), "optional-files/="),
            (ListTail(parts: ["a/b", ""], sizes: [.small, .large]), "lists/a%2Fb/=?sizes=1&sizes=-2"),
            (
                Lists(tags: ["a", "a"], numbers: [], flags: [true], colors: [], ratios: [0.5], note: "n"),
                "queries?tags=a&tags=a&flags=true&ratios=0.5&note=n"
            ),
        ] as [(any Destination, String)])
    func printing(_ destination: any Destination, _ link: String) throws {
        #expect(try destination.link().description == link)
    }

    @Test(
        "A value of the wrong type in a list is an error",
        arguments: [
            ("queries?numbers=1&numbers=x&note=", "'numbers' must be a whole number, not 'x'."),
            ("queries?flags=1&note=", "'flags' must be 'true' or 'false', not '1'."),
            ("queries?ratios=inf&note=", "'ratios' must be a number, not 'inf'."),
            (
                "queries?colors=red&colors=x&note=",
                "'colors' must be one of the values that it knows, not 'red, x'."
            ),
        ])
    func wrongType(_ text: String, _ end: String) throws {
        let error = #expect(throws: LinkError.self) { try Lists(link: Link(text)) }

        #expect(error?.message == "In '\(text)', \(end)")
    }

    @Test("A path argument in the query is an error that shows the form of the link")
    func belongsInPath() {
        let absent = #expect(throws: LinkError.self) { try Options(link: Link("red?id=4")) }
        let twice = #expect(throws: LinkError.self) { try Options(link: Link("red/4?id=4")) }

        #expect(absent?.message == "The link 'red?id=4' gives 'id' in its query; it belongs in the path.")
        #expect(absent?.hint == "Write it in the form ':kind/:id?/:note?'.")
        #expect(twice?.message == "The link 'red/4?id=4' gives 'id' twice.")
    }
}
