@_spi(Host) import AtriumKit
import Testing

@Suite("Decoding of JSON values")
struct JSONDecodingTests {
    @Test(
        "A written value is read back unchanged",
        arguments: [
            .null, true, 0, .integer(.min), .number(0.1), "", "é\n\"", [], [1, "a", [.null]], [:],
            ["a": ["b": [1, false]], "c": .null],
        ] as [JSONValue])
    func roundTrip(_ value: JSONValue) throws {
        #expect(try StateCoding.decode(JSONValue.self, from: value.serialized) == value)
        #expect(try StateCoding.decode(JSONValue.self, from: StateCoding.encode(value)) == value)
    }

    @Test("An object is decoded with its members; any other text is an error")
    func objects() throws {
        let object = try StateCoding.decode(JSONObject.self, from: #"{"b":1,"a":{"d":true,"c":2.5}}"#)

        #expect(object == ["a": ["c": 2.5, "d": true], "b": 1])
        for text in ["[]", "1", "null", "\"a\"", "{", ""] {
            #expect(throws: (any Error).self) { try StateCoding.decode(JSONObject.self, from: text) }
        }
    }
}
