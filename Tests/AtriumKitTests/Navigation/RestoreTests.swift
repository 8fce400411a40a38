import Testing

@_spi(Host) @testable import AtriumKit

private struct Room: Destination {
    struct Unlit: ExplainedError {
        let code: ErrorCode = "unlit"
        let message = "There is no light."
    }

    static let pattern: LinkPattern = "rooms/:number"
    static let name = "room"
    static let version = 3
    static let formerNames = ["chamber"]
    static let guards: [GuardName] = [.signedIn, "indoors"]
    let number: Int
    let light: String

    static func migrate(_ properties: JSONObject, from version: Int) throws -> JSONObject? {
        guard version == 2 else { return nil }
        guard let isLit = properties["isLit"] else { throw Unlit() }
        var properties = properties
        properties["light"] = isLit == true ? "on" : "off"
        return properties
    }
}

private struct RoomView: View { var body: Content { Title("Room") } }

@Suite("Restoring stack entries")
@MainActor
struct RestoreTests {
    private let screen = ScreenRegistration(Room.self, module: "House") { _, _ in RoomView() }

    @Test("Properties of the current version are read without migration")
    func sameVersion() throws {
        let destination = try screen.restore(properties: #"{"number":7,"light":"on"}"#, version: 3)

        #expect(destination as? Room == Room(number: 7, light: "on"))
    }

    @Test("Properties of an earlier version are migrated")
    func earlierVersion() throws {
        let destination = try screen.restore(properties: #"{"isLit":false,"number":7}"#, version: 2)

        #expect(destination as? Room == Room(number: 7, light: "off"))
    }

    @Test(
        "The error about an unreadable entry names the entry and the reason, and has the cause",
        arguments: [
            (
                #"{"number":7,"light":"on"}"#, 4, "newerEntry" as ErrorCode,
                "The stack entry 'room' was saved by version 4 of its destination, and module 'House' has version 3."
            ),
            (
                #"{"number":7}"#, 1, "unreadableEntry" as ErrorCode,
                "The stack entry 'room' was saved by version 1 of its destination, which version 3 of module 'House' "
                    + "can't migrate."
            ),
            (
                #"{"number":7}"#, 2, "unreadableEntry" as ErrorCode,
                "The stack entry 'room' was saved by version 2 of its destination, which version 3 of module 'House' "
                    + "can't migrate."
            ),
            (
                "[]", 2, "unreadableEntry" as ErrorCode,
                "The stack entry 'room' is damaged: module 'House' can't read it."
            ),
            (
                "{", 3, "unreadableEntry" as ErrorCode,
                "The stack entry 'room' is damaged: module 'House' can't read it."
            ),
        ])
    func failures(_ properties: String, _ version: Int, _ code: ErrorCode, _ message: String) {
        let error = #expect(throws: ServiceError.self) {
            try screen.restore(properties: properties, version: version)
        }

        #expect(error?.code == code)
        #expect(error?.message == message)
        if properties == #"{"number":7}"#, version == 2 { #expect(error?.cause is Room.Unlit) }
    }

    @Test("A registration has the guards and the former names of its destination")
    func declarations() {
        #expect(screen.guards.map(\.description) == ["signed-in", "indoors"])
        #expect(screen.formerNames == ["chamber"])
        #expect((screen.name, screen.version, screen.module) == ("room", 3, "House"))
    }

    @Test("A host's screen is built without a registration in the container, each in its own entry scope")
    func hostScreen() throws {
        var entries: [EntryScope] = []
        let screen = ScreenRegistration(Room.self, module: "House") { destination, entry in
            #expect(destination.number == 7)
            entries.append(entry)
            return RoomView()
        }
        let container = Container(environment: .mock)

        let first = try screen.build(
            Room(number: 7, light: "on"), in: container, navigator: StationaryNavigator())
        _ = try screen.build(Room(number: 7, light: "off"), in: container, navigator: StationaryNavigator())

        #expect(first.view is RoomView)
        #expect(entries.count == 2)
        #expect(first.entry === entries[0])
        #expect(entries[0] !== entries[1])
    }
}
