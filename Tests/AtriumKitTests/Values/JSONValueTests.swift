import AtriumKit
import Testing

@Suite("JSON text")
struct JSONValueTests {
    @Test(
        "Values are written as RFC 8259 defines them",
        arguments: [
            (.null, "null"), (true, "true"), (false, "false"), (0, "0"),
            (.integer(.min), "-9223372036854775808"), (.number(0.1), "0.1"), (.number(1e300), "1e+300"),
            (.number(-0.0), "-0.0"), (.number(2), "2.0"), ("", "\"\""), ([], "[]"),
            ([1, "a", [.null]], "[1,\"a\",[null]]"),
            ([:], "{}"), (["a": ["b": 1]], "{\"a\":{\"b\":1}}"),
        ] as [(JSONValue, String)])
    func values(_ value: JSONValue, _ text: String) {
        #expect(value.serialized == text)
    }

    @Test("Quotes, backslashes and control characters are escaped; other characters are not")
    func escapes() {
        let text = "\"\\/\n\r\t\u{0}\u{8}\u{1F}\u{7F} é日😀\u{2028}"

        #expect(
            JSONValue.string(text).serialized == #""\"\\/\n\r\t\u0000\u0008\u001f\u007f é日😀"# + "\u{2028}\"")
        #expect(JSONValue.object(["a\"\n": 1]).serialized == #"{"a\"\n":1}"#)
    }

    @Test("Numbers that JSON can't express become null", arguments: [Double.infinity, -.infinity, .nan])
    func notFinite(_ number: Double) {
        #expect(JSONValue.array([.number(number), 1]).serialized == "[null,1]")
    }

    @Test("Members keep the order in which they were added, also when they are set again")
    func order() {
        var object: JSONObject = ["z": 1, "a": 2, "m": 3]

        object["a"] = 4
        object["b"] = 5
        object["z"] = nil
        object["missing"] = nil

        #expect(JSONValue.object(object).serialized == #"{"a":4,"m":3,"b":5}"#)
    }

    @Test("A key or a text is read where there is one, else nil")
    func reading() {
        let value: JSONValue = ["name": "Lamp", "count": 3]

        #expect(value["name"]?.stringValue == "Lamp")
        #expect(value["count"]?.stringValue == nil)
        #expect(value["missing"] == nil)
        #expect(JSONValue.string("x")["name"] == nil)
    }

    @Test("Displayed values have a text for people and typed JSON for programs")
    func displayable() {
        let missing: Int? = nil

        #expect((true.displayText, true.json) == ("yes", true))
        #expect((false.displayText, 7.json) == ("no", 7))
        #expect((missing.displayText, missing.json) == ("", .null))
        #expect((Optional("x").displayText, Optional("x").json) == ("x", "x"))
        #expect((1.5.displayText, 1.5.json) == ("1.5", 1.5))
    }
}
