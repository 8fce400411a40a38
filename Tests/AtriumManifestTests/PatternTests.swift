import AtriumManifest
import Testing

/// Patterns are reached through the keyword `pattern`.
@Suite("Patterns")
struct PatternTests {
    private func schema(_ pattern: String) throws(SchemaError) -> JSONSchema {
        try JSONSchema(text: #"{"pattern": \#(ManifestValue.string(pattern).json)}"#)
    }

    private func isMatch(_ pattern: String, _ text: String) throws -> Bool {
        try schema(pattern).findings(in: LocatedJSON(.string(text), at: .start)).isEmpty
    }

    @Test(
        "A pattern matches what ECMA-262 says",
        arguments: [
            ("", ["", "a"], []), ("^$", [""], ["a", "\n"]), ("^a$", ["a"], ["", "aa", "a\n", "b"]),
            ("a", ["a", "ba", "ab"], ["", "b"]), ("^a", ["a", "ab"], ["ba"]),
            ("a$", ["a", "ba", "aaa"], ["ab"]),
            ("^ab?c$", ["abc", "ac"], ["abbc", "a"]), ("^a*$", ["", "aaa"], ["ab"]),
            ("^a+$", ["a", "aa"], [""]),
            ("^(?:a|bc)+$", ["abca", "bc"], ["b", "abb", ""]), ("a|b", ["xb"], ["c"]),
            ("^(a|)b$", ["ab", "b"], ["a"]),
            ("^a{2}$", ["aa"], ["a", "aaa"]), ("^a{2,}$", ["aa", "aaaa"], ["a"]),
            ("^a{1,3}$", ["a", "aaa"], ["", "aaaa"]), ("^(ab){0,1}$", ["", "ab"], ["a", "abab"]),
            ("^[a-cx]$", ["a", "c", "x"], ["d", "-"]), ("^[a-]$", ["a", "-"], ["b"]),
            ("^[^a-c]$", ["d", "é"], ["a", ""]),
            ("^\\d\\w\\s$", ["1_ ", "9z\t"], ["a_ ", "1- "]), ("^\\D\\W\\S$", ["a-x"], ["1-x"]),
            ("^.$", ["a", "é", "😀"], ["\n", "\r", "ab"]), ("^\\.\\/\\\\$", ["./\\"], ["a/\\"]),
            ("^[\\u0061-\\u0063\\]]$", ["b", "]"], ["d"]), ("^\\u20AC[\\s]$", ["€\u{3000}"], ["€x"]),
            ("^(a*)*$", ["", "aaaa"], ["b"]), ("^(a|b)*abb$", ["abb", "babaabb"], ["ab", "abba"]),
        ] as [(String, [String], [String])])
    func matches(pattern: String, matching: [String], others: [String]) throws {
        for text in matching { #expect(try isMatch(pattern, text), "\(pattern) matches \(text)") }
        for text in others { #expect(try !isMatch(pattern, text), "\(pattern) does not match \(text)") }
    }

    @Test("A pattern that makes backtracking engines hang takes no time")
    func noBacktracking() throws {
        let text = String(repeating: "a", count: 50_000) + "b"

        #expect(try !isMatch("^(a+)+$", text))
    }

    @Test(
        "A pattern that is not supported says why",
        arguments: [
            ("(", "'(' is not a supported pattern: it ends too early."),
            (")", "')' is not a supported pattern: found ')' at character 1."),
            ("*a", "'*a' is not a supported pattern: found '*' at character 1."),
            ("a$b", "'a$b' is not a supported pattern: found 'b' at character 3."),
            ("[a", "'[a' is not a supported pattern: it ends too early."),
            (
                "[b-a]",
                "'[b-a]' is not a supported pattern: a range in a class goes from a character to a later one."
            ),
            ("a{2", "'a{2' is not a supported pattern: a count is {m}, {m,} or {m,n}."),
            ("a{3,2}", "'a{3,2}' is not a supported pattern: a count is {m}, {m,} or {m,n}."),
            ("a{100}", "'a{100}' is not a supported pattern: a count is at most 99."),
            ("a{65}", "The pattern is too long: it has more than 64 characters to match."),
            ("(?=a)", "'(?=a)' is not a supported pattern: of groups with '?' only '(?:' is supported."),
            ("\\b", "'\\b' is not a supported pattern: '\\b' is not supported."),
            (
                "\\u00",
                "'\\u00' is not a supported pattern: '\\u' needs the four hexadecimal digits of a character."
            ),
            (
                "^a|b$",
                "'^a|b$' is not a supported pattern: put '|' in a group, so that it is clear what the anchors belong to."
            ),
        ] as [(String, String)])
    func unsupported(pattern: String, message: String) {
        let error = #expect(throws: SchemaError.self) { try schema(pattern) }
        #expect(error?.message == message)
    }
}
