import Testing

@testable import AtriumManifest

/// What parsing says about a text: the value as compact JSON, or the error.
private func outcome(_ text: String) -> String {
    outcome(Array(text.utf8))
}

private func outcome(_ bytes: [UInt8]) -> String {
    do {
        return try LocatedJSON(parsing: bytes).plain.json
    } catch {
        return error.description
    }
}

@Suite("LocatedJSON")
struct LocatedJSONTests {
    @Test(
        "Valid JSON is read, with any spaces and escapes",
        arguments: [
            ("null", "null"), ("true", "true"), (" \t\r\nfalse ", "false"), ("0", "0"), ("-0", "0"),
            ("-12", "-12"), ("1.5", "1.5"), ("1e2", "100.0"), ("2E-1", "0.2"), ("1.0", "1.0"),
            ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
            ("9223372036854775808", "9.223372036854776e+18"), ("[]", "[]"), ("[ 1 , [ ] ]", "[1,[]]"),
            ("{}", "{}"), (#"{ "b" : 1 , "a" : { } }"#, #"{"b":1,"a":{}}"#), (#""""#, #""""#),
            (#""\"\\\/\b\f\n\r\t""#, #""\"\\/\u0008\u000c\n\r\t""#), (#""\u00e9\u20AC""#, #""é€""#),
            (#""\uD83D\uDE00😀""#, #""😀😀""#), (#""a\u0000""#, #""a\u0000""#), ("\"\u{7F}\"", "\"\u{7F}\""),
        ] as [(String, String)])
    func valid(text: String, json: String) {
        #expect(outcome(text) == json)
    }

    private static let anyValue = "a string, a number, true, false, null, '[' or '{'"

    @Test(
        "Invalid JSON is an error with the position, what was found and what is allowed",
        arguments: [
            ("", "1:1: error: Found the end of the file; allowed: \(anyValue)."),
            ("  ", "1:3: error: Found the end of the file; allowed: \(anyValue)."),
            ("nul", "1:1: error: Found 'nul'; allowed: \(anyValue)."),
            ("NaN", "1:1: error: Found 'NaN'; allowed: \(anyValue)."),
            ("+1", "1:1: error: Found '+'; allowed: \(anyValue)."),
            (".5", "1:1: error: Found '.'; allowed: \(anyValue)."),
            ("'a'", "1:1: error: Found '''; allowed: \(anyValue)."),
            ("é", "1:1: error: Found 'é'; allowed: \(anyValue)."),
            ("1 2", "1:3: error: Found '2'; allowed: nothing more."),
            ("{}\n}", "2:1: error: Found '}'; allowed: nothing more."),
            ("{} // end", "1:4: error: Found '/'; allowed: nothing more. JSON has no comments."),
            ("[1,\n 2,]", "2:4: error: Found ']' after ','; allowed: \(anyValue). Remove the comma."),
            ("[1 2]", "1:4: error: Found '2'; allowed: ',' or ']'."),
            ("[1", "1:3: error: Found the end of the file; allowed: ',' or ']'."),
            ("[,1]", "1:2: error: Found ','; allowed: \(anyValue)."),
            ("{a: 1}", "1:2: error: Found 'a'; allowed: a key in quotes or '}'."),
            ("{\"a\":1,}", "1:8: error: Found '}' after ','; allowed: a key in quotes. Remove the comma."),
            ("{\"a\" 1}", "1:6: error: Found '1'; allowed: ':'."),
            ("{\"a\":}", "1:6: error: Found '}' after ':'; allowed: \(anyValue)."),
            ("{\"a\":1 \"b\":2}", "1:8: error: Found a string; allowed: ',' or '}'."),
            ("{\"a\":1", "1:7: error: Found the end of the file; allowed: ',' or '}'."),
            ("{\"a\":1,\n\n  \"a\":2}", "3:3: error: Key 'a' appears twice; the first is on line 1."),
            ("01", "1:1: error: A number has no leading zeros."),
            ("[-01]", "1:2: error: A number has no leading zeros."),
            ("-", "1:2: error: Found the end of the file after '-'; allowed: a digit."),
            ("1.", "1:3: error: Found the end of the file after '.'; allowed: a digit."),
            ("[1.]", "1:4: error: Found ']' after '.'; allowed: a digit."),
            ("1e+x", "1:4: error: Found 'x' after the exponent's 'e'; allowed: a digit."),
            ("1e999", "1:1: error: The number 1e999 is out of range."),
            ("[\"abc", "1:2: error: The string is not closed; allowed: '\"' at its end."),
            ("\"\\n", "1:1: error: The string is not closed; allowed: '\"' at its end."),
            (
                "\"a\nb\"",
                #"1:3: error: Found a line break in a string; close the string with '"', or write \n."#
            ),
            ("\"\u{1}\"", #"1:2: error: Found the control character 0x01 in a string; write \u0001."#),
            (
                #""\x""#,
                #"1:2: error: Found 'x' after '\'; allowed: '"', '\', '/', 'b', 'f', 'n', 'r', 't' or 'u'."#
            ),
            (#""ab\u12G4""#, #"1:4: error: '\u' needs four hexadecimal digits."#),
            (
                #""\uD83D!""#,
                #"1:2: error: Half of a surrogate pair; a character beyond U+FFFF needs two escapes, such as \uD83D\uDE00."#
            ),
            (
                #""\uDE00""#,
                #"1:2: error: Half of a surrogate pair; a character beyond U+FFFF needs two escapes, such as \uD83D\uDE00."#
            ),
            (
                #""\uDE00\uDE00""#,
                #"1:2: error: Half of a surrogate pair; a character beyond U+FFFF needs two escapes, such as \uD83D\uDE00."#
            ),
            (
                #""\uD83D\u0041""#,
                #"1:2: error: Half of a surrogate pair; a character beyond U+FFFF needs two escapes, such as \uD83D\uDE00."#
            ),
            ("\u{FEFF}{}", "1:1: error: Found a byte order mark; save the file as UTF-8 without one."),
        ] as [(String, String)])
    func invalid(text: String, message: String) {
        #expect(outcome(text) == message)
    }

    @Test(
        "Invalid UTF-8 is an error at its position",
        arguments: [
            ([0x22, 0x61, 0xFF, 0x22], "1:3: error: Byte 0xFF is not valid UTF-8 here."),
            ([0x22, 0xC0, 0x80, 0x22], "1:2: error: Byte 0xC0 is not valid UTF-8 here."),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], "1:2: error: Byte 0xED is not valid UTF-8 here."),
            ([0x22, 0xC3, 0xA9, 0xE2, 0x82, 0x22], "1:4: error: Byte 0xE2 is not valid UTF-8 here."),
            ([0x5B, 0x80], "1:2: error: Found byte 0x80; allowed: \(anyValue)."),
        ] as [([UInt8], String)])
    func invalidUTF8(bytes: [UInt8], message: String) {
        #expect(outcome(bytes) == message)
    }

    @Test("JSON nested 64 levels deep is read, and 65 levels are an error")
    func depth() {
        let brackets = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }

        #expect(outcome(brackets(64)) == brackets(64))
        #expect(outcome(brackets(65)) == "1:65: error: Arrays and objects nest deeper than 64 levels.")
        #expect(outcome(String(repeating: "{\"a\":", count: 9999)).contains("nest deeper"))
    }

    @Test("A repeated key among many is an error")
    func manyKeys() {
        let keys = (0..<100).map { "\"k\($0)\":0" }.joined(separator: ",\n")

        #expect(!outcome("{\(keys)}").contains("error"))
        #expect(
            outcome("{\(keys),\n\"k7\":1}") == "101:1: error: Key 'k7' appears twice; the first is on line 8."
        )
        #expect(
            outcome("{\(keys),\n\"k70\":1}")
                == "101:1: error: Key 'k70' appears twice; the first is on line 71.")
    }

    @Test("Values and keys have positions, counted in bytes, with either line ending")
    func positions() throws {
        let document = try LocatedJSON(parsing: Array("{\r\n  \"é\": [1,\n\"x\"], \"k\" :\ttrue\n}".utf8))

        let list = try #require(document["é"])
        #expect(document.position == SourcePosition(line: 1, column: 1))
        #expect(document.members.map(\.keyPosition.description) == ["2:3", "3:7"])
        #expect(list.position == SourcePosition(line: 2, column: 9))
        #expect(list.items.map(\.position.description) == ["2:10", "3:1"])
        #expect(document["k"]?.position == SourcePosition(line: 3, column: 13))
    }

    @Test("Messages repeat at most 60 characters and no control characters")
    func excerpts() {
        let key = String(repeating: "k", count: 100)

        #expect(
            outcome("{\"\(key)\":1,\"\(key)\":2}")
                == "1:107: error: Key '\(key.prefix(60))…' appears twice; the first is on line 1.")
        #expect(outcome("\u{202E}") == #"1:1: error: Found '\u{202E}'; allowed: \#(Self.anyValue)."#)
    }
}
