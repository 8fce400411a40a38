import AtriumManifest
import Testing

/// What a schema finds in a document, one line each.
private func findings(_ schema: String, _ document: String) throws -> [String] {
    let schema = try JSONSchema(text: schema)
    return schema.findings(in: try LocatedJSON(parsing: Array(document.utf8))).map(\.description)
}

@Suite("JSONSchema")
struct JSONSchemaTests {
    @Test(
        "A document that the schema allows has no findings",
        arguments: [
            ("{}", "null"), (#"{"type": "integer"}"#, "1.0"), (#"{"type": ["null", "array"]}"#, "[]"),
            (#"{"enum": [1, {"a": 1, "b": [2.0]}]}"#, #"{"b": [2], "a": 1.0}"#),
            (#"{"minLength": 2}"#, #""é😀""#), (#"{"minLength": 2}"#, "1"),
            (#"{"minimum": 1, "maximum": 1}"#, "1"),
            (#"{"uniqueItems": true}"#, #"[1, "1", true, [1]]"#), (#"{"required": ["a"]}"#, #"{"a": null}"#),
            (
                #"{"properties": {"a": true}, "additionalProperties": {"type": "null"}}"#,
                #"{"a": 1, "b": null}"#
            ),
            (##"{"$defs": {"n": {"type": "number"}}, "items": {"$ref": "#/$defs/n"}}"##, "[1, 2.5]"),
            (##"{"type": ["array", "null"], "items": {"$ref": "#"}}"##, "[[null], [[[]]]]"),
        ] as [(String, String)])
    func allowed(schema: String, document: String) throws {
        #expect(try findings(schema, document) == [])
    }

    @Test(
        "What the schema does not allow is named, with what it does",
        arguments: [
            (#"{"type": "string"}"#, "1", "1:1: error: Found an integer; allowed: a string."),
            (#"{"type": "integer"}"#, "1.5", "1:1: error: Found a number; allowed: an integer."),
            (
                #"{"type": ["string", "number", "boolean"]}"#, "{}",
                "1:1: error: Found an object; allowed: a string, a number or a boolean."
            ),
            (#"{"enum": ["on", "off", 3]}"#, "5", "1:1: error: Found 5; allowed: 'on', 'off' or 3."),
            (
                #"{"enum": ["startup", "onDemand"]}"#, #""ondemnad""#,
                "1:1: error: Found 'ondemnad'; did you mean 'onDemand'? Allowed: 'startup' or 'onDemand'."
            ),
            (#"{"minLength": 1}"#, #""""#, "1:1: error: Found ''; allowed: a text of at least 1 character."),
            (
                #"{"pattern": "^a+$"}"#, #""b""#,
                "1:1: error: 'b' is not allowed here; allowed: a text that matches ^a+$."
            ),
            (
                #"{"pattern": "^a+$", "title": "cry", "description": "a few a", "examples": ["aa"]}"#,
                #""b\u0007""#,
                #"1:1: error: 'b\u{7}' is not a valid cry; allowed: a few a, for example 'aa'."#
            ),
            (#"{"minItems": 2}"#, "[1]", "1:1: error: Found 1 item; allowed: at least 2 items."),
            (#"{"minimum": 1}"#, "0", "1:1: error: 0 is too small; allowed: 1 or more."),
            (#"{"maximum": 1.5}"#, "2.5", "1:1: error: 2.5 is too large; allowed: 1.5 or less."),
            (
                #"{"uniqueItems": true}"#, "[{\"a\": 1, \"b\": 2},\n{\"b\": 2, \"a\": 1.0}]",
                #"2:1: error: [1]: {"a":1,"b":2} appears twice; the first is on line 1."#
            ),
            (#"{"required": ["a b"]}"#, " {}", #"1:2: error: ["a b"]: Required key 'a b' is missing."#),
            (
                #"{"additionalProperties": false}"#, #"{"a": 1}"#,
                "1:2: error: a: Unknown key 'a'. Allowed: nothing."
            ),
            (
                #"{"properties": {"requires": true, "name": true}, "additionalProperties": false}"#,
                #"{"reqires": 1}"#,
                "1:2: error: reqires: Unknown key 'reqires'; did you mean 'requires'? Allowed: requires, name."
            ),
            (
                #"{"propertyNames": {"pattern": "^[a-z]$"}}"#, "{\n \"a\": 1, \"B/\": 2}",
                #"2:10: error: ["B/"]: 'B/' is not allowed here; allowed: a text that matches ^[a-z]$."#
            ),
        ] as [(String, String, String)])
    func forbidden(schema: String, document: String, finding: String) throws {
        #expect(try findings(schema, document) == [finding])
    }

    @Test("All findings come at once, in the order of the file, with the path of the field")
    func allAtOnce() throws {
        let schema = """
            { "properties": { "list": { "items": { "$ref": "#/$defs/entry" } }, "last": { "type": "null" } } ,
              "$defs": { "entry": { "required": ["name"], "properties": { "name": { "type": "string" } } } } }
            """

        #expect(
            try findings(schema, "{\"last\": 1,\n \"list\": [{\"name\": \"a\"},\n  {\"name\": 2}, {}]}") == [
                "1:10: error: last: Found an integer; allowed: null.",
                "3:12: error: list[1].name: Found an integer; allowed: a string.",
                "3:16: error: list[2].name: Required key 'name' is missing.",
            ])
    }

    @Test(
        "A schema that would not do what it says does not compile",
        arguments: [
            ("{", "1:2: error: Found the end of the file; allowed: a key in quotes or '}'."),
            ("[]", "1:1: error: Found an array; allowed: an object."),
            (#"{"oneOf": []}"#, "1:2: error: Keyword 'oneOf' is not supported here."),
            (#"{"properties": {"a": {"$defs": {}}}}"#, "1:23: error: Keyword '$defs' is not supported here."),
            (#"{"type": "text"}"#, "1:10: error: 'text' is not a type."),
            (#"{"minLength": -1}"#, "1:15: error: Found an integer; allowed: a count."),
            (##"{"$ref": "#/$defs/a"}"##, "1:10: error: '#/$defs/a' does not name a schema in $defs."),
            (##"{"$ref": "#"}"##, "1:1: error: A $ref leads back to itself."),
            (
                ##"{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}"##,
                "1:1: error: A $ref leads back to itself."
            ),
        ] as [(String, String)])
    func invalidSchema(schema: String, message: String) {
        let error = #expect(throws: SchemaError.self) { try JSONSchema(text: schema) }
        #expect(error?.description == message)
    }
}
