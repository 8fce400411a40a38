import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("TextWrapper")
struct TextWrapperTests {
    @Test(
        "Lines break at spaces, at line ends, and inside words that are too long",
        arguments: [
            ("a lamp for the desk", 8, ["a lamp", "for the", "desk"]),
            ("a\n\nb", 8, ["a", "", "b"]),
            ("", 8, [""]),
            ("abcdefghij kl", 4, ["abcd", "efgh", "ij", "kl"]),
            ("x abcdefgh", 4, ["x", "abcd", "efgh"]),
            ("cafe\u{301}s 👩‍👩‍👧👩‍👩‍👧x", 4, ["cafe\u{301}", "s 👩‍👩‍👧", "👩‍👩‍👧x"]),
        ])
    func wrapping(_ text: String, _ width: Int, _ lines: [String]) {
        #expect(TextWrapper(width: width).lines(of: text) == lines)
    }

    @Test(
        "Spaces are kept, except at the end of a line and if a word needs their room",
        arguments: [
            ("a   b", 8, ["a   b"]),
            ("  a   b  ", 7, ["  a   b"]),
            ("  a   b  ", 5, ["  a", "b"]),
            ("   lamps", 5, ["lamps"]),
            ("          ", 5, [""]),
        ])
    func blanks(_ text: String, _ width: Int, _ lines: [String]) {
        #expect(TextWrapper(width: width).lines(of: text) == lines)
    }

    @Test(
        "Text without spaces breaks beside any ideograph, but no line begins with its comma",
        arguments: [
            ("日本語 日", 4, ["日本", "語", "日"]),
            ("x 日本語", 6, ["x 日本", "語"]),
            ("日本、語", 4, ["日", "本、", "語"]),
            ("日「本」", 4, ["日", "「本", "」"]),
            ("한국 사람", 6, ["한국", "사람"]),
        ])
    func ideographs(_ text: String, _ width: Int, _ lines: [String]) {
        #expect(TextWrapper(width: width).lines(of: text) == lines)
    }

    @Test(
        "A path or URL that is too long breaks after punctuation",
        arguments: [
            ("https://example.com/lamps?id=7", 20, ["https://example.com/", "lamps?id=7"]),
            ("/usr/lib/modules/Entities.so", 12, ["/usr/lib/", "modules/", "Entities.so"]),
        ])
    func addresses(_ text: String, _ width: Int, _ lines: [String]) {
        #expect(TextWrapper(width: width).lines(of: text) == lines)
    }

    @Test("All lines except the first and empty ones are indented")
    func indentation() {
        let wrapper = TextWrapper(width: 10, indent: 2)

        #expect(wrapper.lines(of: "a lamp for the desk\n\nx") == ["a lamp for", "  the desk", "", "  x"])
    }

    @Test(
        "A quoted argument is kept in one line if it fits; an apostrophe does not begin one",
        arguments: [
            ("create --name 'A lamp' x", 16, ["create --name", "'A lamp' x"]),
            ("create --name=\"A lamp\" x", 16, ["create", "--name=\"A lamp\"", "x"]),
            ("create 'A lamp of the desk'", 16, ["create 'A lamp", "of the desk'"]),
            ("Ada's lamp isn't Bob's", 12, ["Ada's lamp", "isn't Bob's"]),
            ("an 'open lamp of a desk", 12, ["an 'open", "lamp of a", "desk"]),
        ])
    func quotations(_ text: String, _ width: Int, _ lines: [String]) {
        #expect(TextWrapper(width: width, keepsQuotations: true).lines(of: text) == lines)
    }

    @Test("Text is cut at the width, spaces included, and nothing is lost", arguments: [1, 2, 3, 7])
    func cutting(_ width: Int) {
        let text = "  ├─ A  lamp  "

        let lines = TextWrapper.cut(text, to: width)

        #expect(lines.joined() == text)
        #expect(lines.dropLast().allSatisfy { TextWidth.of($0) == width })
        #expect(TextWrapper.cut("", to: width) == [""])
    }
}
