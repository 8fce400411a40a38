@_spi(Host) import AtriumKit
import TestSupport
import Testing

private struct Shelf: Destination {
    static let pattern: LinkPattern = "shelves/:room/:number"
    enum Order: String, Codable { case name, age }

    let room: String
    let number: Int
    var search = ""
    var isOpen = false
    var ratio = 0.5
    var small: UInt8 = 0
    var order: Order?
    var note: String?
}

private struct Home: Destination {
    static let pattern: LinkPattern = "home"
    static let version = 3
}

@Suite("Destinations and their links")
struct DestinationTests {
    @Test("By default a destination's name is its pattern and its version is 1")
    func defaults() {
        #expect(Shelf.name == "shelves/:room/:number")
        #expect(Shelf.version == 1)
        #expect(Home.version == 3)
        #expect(Home.formerNames.isEmpty)
        #expect(Home.guards.isEmpty)
    }

    @Test("Properties in the pattern are in the path, all others in the query; nil is omitted")
    func printing() throws {
        let shelf = Shelf(room: "the attic", number: 7, search: "lamp & shade", order: .age)

        let link = try shelf.link()

        #expect(
            link.description
                == "shelves/the%20attic/7?search=lamp%20%26%20shade&isOpen=false&ratio=0.5&small=0&order=age")
        #expect(try Home().link().description == "home")
    }

    @Test("A destination equals the one that is read from its link", arguments: 0..<4)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let shelf = Shelf(
                room: generator.text(length: 0...6), number: Int.random(in: .min ... .max, using: &generator),
                search: generator.text(length: 0...6), isOpen: Bool.random(using: &generator),
                ratio: Double.random(in: -1e9...1e9, using: &generator),
                small: .random(in: 0...255, using: &generator),
                order: [nil, .name, .age].randomElement(using: &generator) ?? nil,
                note: Bool.random(using: &generator) ? generator.text(length: 0...4) : nil)

            let text = try shelf.link().description

            try #require(try Shelf(link: Link(text)) == shelf, "\(text)")
        }
    }

    @Test(
        "A link with another path does not match the destination",
        arguments: ["shelves/attic", "rooms/attic/7", "home"])
    func otherPath(_ text: String) throws {
        #expect(try Shelf(link: Link(text)) == nil)
    }

    @Test(
        "A value of the wrong type is an error that names the right type",
        arguments: [
            (
                "shelves/attic/x?search=&isOpen=true&ratio=1&small=1",
                "'number' must be a whole number, not 'x'."
            ),
            (
                "shelves/attic/1?search=&isOpen=yes&ratio=1&small=1",
                "'isOpen' must be 'true' or 'false', not 'yes'."
            ),
            (
                "shelves/attic/1?search=&isOpen=true&ratio=half&small=1",
                "'ratio' must be a number, not 'half'."
            ),
            ("shelves/attic/1?search=&isOpen=true&ratio=nan&small=1", "'ratio' must be a number, not 'nan'."),
            (
                "shelves/attic/1?search=&isOpen=true&ratio=1e999&small=1",
                "'ratio' must be a number, not '1e999'."
            ),
            (
                "shelves/attic/1?search=&isOpen=true&ratio=1&small=256",
                "'small' must be a whole number, not '256'."
            ),
            (
                "shelves/attic/1?search=&isOpen=true&ratio=1&small=1&order=size",
                "'order' must be one of the values that it knows, not 'size'."
            ),
        ])
    func wrongType(_ text: String, _ end: String) {
        let error = #expect(throws: LinkError.self) { try Shelf(link: Link(text)) }

        #expect(error?.code == .badLink)
        #expect(error?.message == "In '\(text)', \(end)")
    }

    @Test("A missing value is reported")
    func missing() {
        let error = #expect(throws: LinkError.self) { try Shelf(link: Link("shelves/attic/1?search=x")) }

        #expect(error?.message == "'shelves/attic/1?search=x' is not a link: it needs a value for 'isOpen'.")
    }

    @Test("A value given twice is an error, also if it is in the path and the query")
    func repeated() {
        let inQuery = #expect(throws: LinkError.self) {
            try Shelf(link: Link("shelves/attic/1?search=a&search=a&isOpen=true&ratio=1&small=1"))
        }
        let inPath = #expect(throws: LinkError.self) { try Shelf(link: Link("shelves/attic/1?room=hall")) }

        #expect(
            inQuery?.message
                == "The link 'shelves/attic/1?search=a&search=a&isOpen=true&ratio=1&small=1' gives 'search' twice."
        )
        #expect(inPath?.message == "The link 'shelves/attic/1?room=hall' gives 'room' twice.")
    }

    @Test("An unknown value is an error that suggests the nearest name and lists those of the query")
    func unknown() {
        let text = "shelves/attic/1?search=&isOpen=true&ratio=1&small=1&serach=x&z=1"
        let shelf = #expect(throws: LinkError.self) { try Shelf(link: Link(text)) }
        let home = #expect(throws: LinkError.self) { try Home(link: Link("home?a=1")) }

        #expect(shelf?.message == "The link '\(text)' has an unknown value 'serach', 'z'.")
        #expect(
            shelf?.hint
                == "Did you mean 'search'? It takes 'search', 'isOpen', 'ratio', 'small', 'order', 'note'.")
        #expect(home?.message == "The link 'home?a=1' has an unknown value 'a'.")
        #expect(home?.hint == "It takes none.")
    }
}
