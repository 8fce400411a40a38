@_spi(Host) import AtriumKit
import Testing

private struct Point: Codable, Hashable {
    let x: Int
}

private struct Nested: Destination {
    static let pattern: LinkPattern = "nested"
    let point: Point
}

private struct Matrix: Destination {
    static let pattern: LinkPattern = "matrix"
    let rows: [[Int]]
}

private struct Points: Destination {
    static let pattern: LinkPattern = "points"
    let points: [Point]
}

private struct Gaps: Destination {
    static let pattern: LinkPattern = "gaps"
    let numbers: [Int?]
}

private struct Keyed: Destination {
    static let pattern: LinkPattern = "keyed"
    let counts: [String: Int]
}

private enum Choice: Destination {
    static let pattern: LinkPattern = "choice"
    case all
    case one(id: Int)
}

private struct Text: Destination {
    static let pattern: LinkPattern = "text"
    let text: String
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
    init(text: String) { self.text = text }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

private struct Late: Destination {
    static let pattern: LinkPattern = "late/:id"
    let id: Int?
}

private struct Tagged: Destination {
    static let pattern: LinkPattern = "tagged/:tags"
    let tags: [String]
}

private struct MayBeTagged: Destination {
    static let pattern: LinkPattern = "may-be-tagged"
    let tags: [String]?
}

private struct Day: Destination {
    static let pattern: LinkPattern = "days/:year/:month?/:day?"
    let year: Int
    let month: Int?
    let day: Int?
}

private struct Scale: Destination {
    static let pattern: LinkPattern = "scale"
    var ratio = 1.0
    var small: Float?
    var all: [Double] = []
}

@Suite("Properties that links cannot express")
struct LinkEncoderTests {
    @Test(
        "A property of an unsupported type is an error that names the property",
        arguments: [
            (Nested(point: Point(x: 1)) as any Destination, "point"), (Keyed(counts: ["a": 1]), "counts"),
            (Matrix(rows: [[1]]), "rows"), (Points(points: [Point(x: 1)]), "points"),
            (Gaps(numbers: [1, nil]), "numbers"), (Choice.all, "all"), (Choice.one(id: 1), "one"),
        ])
    func unsupported(_ destination: any Destination, _ name: String) {
        let error = #expect(throws: LinkError.self) { try destination.link() }

        #expect(error?.code == .badLink)
        #expect(
            error?.message
                == "The property '\(name)' of a destination is neither text, number, truth value, choice nor a "
                + "list of these.")
    }

    @Test("Writing or reading a destination that is not a struct with properties is an error")
    func otherForm() {
        let error = #expect(throws: LinkError.self) { try Text(text: "a").link() }
        let reading = #expect(throws: LinkError.self) { try Text(link: Link("text")) }

        #expect(
            error?.message
                == "The destination 'text' has no link: it is not a struct with plain properties.")
        #expect(reading?.message == error?.message)
    }

    @Test("Reading a property of an unsupported type is an error that names the property")
    func reading() {
        let nested = #expect(throws: LinkError.self) { try Nested(link: Link("nested?point=1")) }
        let matrix = #expect(throws: LinkError.self) { try Matrix(link: Link("matrix?rows=1")) }

        #expect(nested?.message.hasPrefix("The property 'point' of a destination") == true)
        #expect(matrix?.message.hasPrefix("The property 'rows' of a destination") == true)
    }

    @Test("A destination without a value for a path argument has no link")
    func missingPathValue() {
        let error = #expect(throws: LinkError.self) { try Late(id: nil).link() }

        #expect(error?.message == "A link of the form 'late/:id' needs a value for 'id'.")
    }

    @Test("An optional path argument requires those before it")
    func gap() throws {
        let error = #expect(throws: LinkError.self) { try Day(year: 2026, month: nil, day: 5).link() }

        #expect(
            error?.message
                == "A link of the form 'days/:year/:month?/:day?' can't have 'day' without a value for 'month'."
        )
        #expect(try Day(year: 2026, month: nil, day: nil).link().description == "days/2026")
    }

    @Test("A list can't be a single segment of the path")
    func listInSegment() {
        let error = #expect(throws: LinkError.self) { try Tagged(tags: ["a"]).link() }

        #expect(
            error?.message
                == "The property 'tags' is a list, and the pattern 'tagged/:tags' has one segment for it.")
        #expect(error?.hint == "Write ':tags*' at the end of the pattern.")
    }

    @Test("An empty optional list is an error, because a link can't distinguish it from nil")
    func emptyOptionalList() throws {
        let error = #expect(throws: LinkError.self) { try MayBeTagged(tags: []).link() }

        #expect(
            error?.message
                == "The property 'tags' of a destination is an empty list, which its link can't tell from none."
        )
        #expect(try MayBeTagged(tags: nil).link().description == "may-be-tagged")
        #expect(try MayBeTagged(link: Link("may-be-tagged?tags=a")) == MayBeTagged(tags: ["a"]))
    }

    @Test(
        "A number that is not finite has no link, alone, optional or in a list",
        arguments: [
            (Scale(ratio: .nan), "ratio", "nan"), (Scale(small: .infinity), "small", "inf"),
            (Scale(all: [1, -.infinity]), "all", "-inf"),
        ])
    private func notFinite(_ scale: Scale, _ name: String, _ value: String) {
        let error = #expect(throws: LinkError.self) { try scale.link() }

        #expect(
            error?.message
                == "The property '\(name)' of a destination is \(value), which a link can't express.")
    }
}
