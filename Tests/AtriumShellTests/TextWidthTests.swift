import Testing

@testable import AtriumShell

@Suite("Columns that text takes")
struct TextWidthTests {
    @Test(
        "A character takes the columns that terminals give it",
        arguments: [
            ("", 0), ("lamp", 4), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한", 2),
            ("\u{1112}\u{1161}\u{11AB}", 2),
            ("😀", 2), ("👍🏽", 2), ("👩‍👩‍👧", 2), ("🇫🇷", 2), ("1\u{FE0F}\u{20E3}", 2), ("…", 1), ("\u{7}\u{7F}", 0),
            ("ａ", 2), ("a\u{200B}b", 2),
        ])
    func widths(_ text: String, _ columns: Int) {
        #expect(TextWidth.of(text) == columns)
    }

    @Test(
        "What is too long ends in an ellipsis and never takes more than it may",
        arguments: [
            ("lamp", 4, "lamp"), ("lamps", 4, "lam…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
            ("lamp", 1, "…"), ("lamp", 0, ""), ("", 0, ""),
        ])
    func truncating(_ text: String, _ width: Int, _ result: String) {
        #expect(TextWidth.truncated(text, to: width) == result)
    }

    @Test("Text is filled up on the right, or on the left")
    func padding() {
        #expect(TextWidth.padded("日", to: 4) == "日  ")
        #expect(TextWidth.padded("7", to: 3, alignedRight: true) == "  7")
        #expect(TextWidth.padded("lamp", to: 2) == "lamp")
    }

    @Test(
        "Lines break at blanks, at line ends, and inside of words that are too long",
        arguments: [
            ("a lamp for the desk", 8, ["a lamp", "for the", "desk"]),
            ("a\n\nb", 8, ["a", "", "b"]),
            ("", 8, [""]),
            ("abcdefghij kl", 4, ["abcd", "efgh", "ij", "kl"]),
            ("x abcdefgh", 4, ["x", "abcd", "efgh"]),
            ("日本語 日", 4, ["日本", "語", "日"]),
            ("  a   b  ", 8, ["a b"]),
        ])
    func wrapping(_ text: String, _ width: Int, _ lines: [String]) {
        #expect(TextWidth.wrapped(text, to: width) == lines)
    }
}
