@_spi(Host) import AtriumKit
import Testing

private struct Point: Codable, Hashable {
    let x: Int
}

private struct Nested: Destination {
    static let pattern: LinkPattern = "nested"
    let point: Point
}

private struct Listed: Destination {
    static let pattern: LinkPattern = "listed"
    let tags: [String]
}

private struct Keyed: Destination {
    static let pattern: LinkPattern = "keyed"
    let counts: [String: Int]
}

private struct Late: Destination {
    static let pattern: LinkPattern = "late/:id"
    let id: Int?
}

@Suite("Properties that links cannot express")
struct LinkEncoderTests {
    @Test(
        "A list, a dictionary or a struct is an error that names the property",
        arguments: [
            (Nested(point: Point(x: 1)) as any Destination, "point"), (Listed(tags: ["a"]), "tags"),
            (Listed(tags: []), "tags"), (Keyed(counts: ["a": 1]), "counts"),
        ])
    func unsupported(_ destination: any Destination, _ name: String) {
        let error = #expect(throws: LinkError.self) { try destination.link() }

        #expect(error?.code == .badLink)
        #expect(
            error?.message
                == "The property '\(name)' of a destination is neither text, number, truth value nor a choice."
        )
    }

    @Test("Reading such a property is the same error")
    func reading() {
        let nested = #expect(throws: LinkError.self) { try Nested(link: Link("nested?point=1")) }
        let listed = #expect(throws: LinkError.self) { try Listed(link: Link("listed?tags=1")) }

        #expect(nested?.message.hasPrefix("The property 'point' of a destination") == true)
        #expect(listed?.message.hasPrefix("The property 'tags' of a destination") == true)
    }

    @Test("A path argument without a value has no link")
    func missingPathValue() {
        let error = #expect(throws: LinkError.self) { try Late(id: nil).link() }

        #expect(error?.message == "A link of the form 'late/:id' needs a value for 'id'.")
    }
}
