@_spi(Host) import AtriumKit
import Testing

@Suite("JSON values are read from JSON text")
struct JSONDecodingTests {
    @Test(
        "What is written is read",
        arguments: [
            .null, true, 0, .integer(.min), .number(0.1), "", "é\n\"", [], [1, "a", [.null]], [:],
            ["a": ["b": [1, false]], "c": .null],
        ] as [JSONValue])
    func roundTrip(_ value: JSONValue) throws {
        #expect(try StateCoding.decode(JSONValue.self, from: value.serialized) == value)
        #expect(try StateCoding.decode(JSONValue.self, from: StateCoding.encode(value)) == value)
    }

    @Test("Objects are read with their keys in order, and nothing else is one")
    func objects() throws {
        let object = try StateCoding.decode(JSONObject.self, from: #"{"b":1,"a":{"d":true,"c":2.5}}"#)

        #expect(object == ["a": ["c": 2.5, "d": true], "b": 1])
        for text in ["[]", "1", "null", "\"a\"", "{", ""] {
            #expect(throws: (any Error).self) { try StateCoding.decode(JSONObject.self, from: text) }
        }
    }
}
