@_spi(Host) import AtriumKit
import Testing

@testable import AtriumNavigation

@Suite("What is too large to be read again")
@MainActor
struct LargeStateTests {
    @Test("The largest field of an object is found, whatever its texts hold")
    func fields() throws {
        let objects: [(JSONObject, String?)] = [
            ([:], nil),
            (["a": "1"], "a"),
            (["a": "1", "b": "22", "c": "3"], "b"),
            (["a": "\",\"b\":{[", "b": .array([.integer(1), ["c": "long enough to be the largest"]])], "b"),
            (["a\"b": "\\\\", "b": ""], "a\\\"b"),
            (["a": ["b": ["long": "long long long"]], "b": "short"], "a"),
        ]
        for (object, name) in objects {
            #expect(StateCoding.largestField(in: try StateCoding.encode(object)) == name)
        }
        for text in ["", "5", "[1,2]", "\"text\""] { #expect(StateCoding.largestField(in: text) == nil) }
    }

    @Test("The state of one screen keeps its former one, and names screen, module and view model")
    func state() throws {
        let house = try House()
        let coordinator = house.coordinator(try stack(states: ["former", "former"]))
        var told: [String] = []
        coordinator.reportError = { error in
            let error = error as? NavigationError
            told.append("\(error?.code.rawValue ?? ""): \(error?.message ?? "")")
        }
        let large = try stack(states: ["new", String(repeating: "x", count: 900)])

        let rest = coordinator.reduced(large, try stack(states: ["former", "former"]), 100)
        _ = coordinator.reduced(large, try stack(states: ["former", "former"]), 100)

        #expect(try rest == stack(states: ["new", "former"]))
        #expect(
            told == [
                "stateNotSaved: The state of screen 'rooms/2' of module 'House' can't be saved: "
                    + "field 'text' of RoomViewModel makes it too large to restore."
            ])
    }

    @Test("A screen with a long link is left out, and is named by the link's beginning")
    func link() throws {
        let coordinator = try House().coordinator()
        var told: [String] = []
        coordinator.reportError = { told.append(($0 as? NavigationError)?.message ?? "?") }
        let link = "rooms/" + String(repeating: "9", count: 900)
        var large = try stack(states: ["new"])
        _ = large.apply(.push(entry(2, link: link, text: nil)))

        let rest = coordinator.reduced(large, nil, 500)

        #expect(rest?.entries.map(\.link) == ["rooms/1"])
        #expect(told.count == 1)
        #expect(told[0].contains("its link of 906 bytes makes") && told[0].utf8.count < 400)
    }

    @Test("Nothing is left of what has nothing to leave out")
    func nothing() throws {
        #expect(try House().coordinator().reduced(NavigationState(), nil, 1) == nil)
    }

    private func stack(states: [String]) throws -> NavigationState {
        var stack = NavigationState()
        for (index, text) in states.enumerated() {
            _ = stack.apply(.push(entry(index + 1, link: "rooms/\(index + 1)", text: text)))
        }
        return stack
    }

    private func entry(_ id: Int, link: String, text: String?) -> StackEntry {
        var entry = StackEntry(
            id: id, module: "House", destination: "Room", version: 1, link: link,
            properties: ArchivedDestination(json: "{}"))
        entry.state = text.map { ["RoomViewModel": #"{"id":1,"text":"\#($0)"}"#] } ?? [:]
        return entry
    }
}
