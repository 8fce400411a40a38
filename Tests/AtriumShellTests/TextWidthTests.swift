import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("TextWidth")
struct TextWidthTests {
    @Test(
        "A character has the width that terminals give it",
        arguments: [
            ("", 0), ("lamp", 4), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한", 2),
            ("\u{1112}\u{1161}\u{11AB}", 2),
            ("😀", 2), ("👍🏽", 2), ("👩‍👩‍👧", 2), ("🇫🇷", 2), ("1\u{FE0F}\u{20E3}", 2), ("…", 1), ("\u{7}\u{7F}", 0),
            ("ａ", 2), ("a\u{200B}b", 2), ("ｱ", 1), ("\u{1112}\u{1112}", 4), ("\u{FEFF}", 0), ("\r\n", 0),
            ("का", 2), ("क्ष", 2), ("🇫", 1), ("🏽", 2), ("😺🏽", 4), ("a🏽", 3), ("❤", 1), ("❤\u{FE0F}", 2),
            ("⌚\u{FE0E}", 2), ("❤\u{FE0F}\u{200D}🔥", 2), ("❤\u{200D}🔥", 2), ("a\u{FE0F}", 1),
            ("🏴\u{E0067}\u{E0062}\u{E007F}", 2), ("\u{1FAE9}", 2), ("\u{378}", 1), ("\u{E000}", 1),
        ])
    func widths(_ text: String, _ columns: Int) {
        #expect(TextWidth.of(text) == columns)
    }

    @Test(
        "A text that is too long ends with an ellipsis, and never exceeds the width",
        arguments: [
            ("lamp", 4, "lamp"), ("lamps", 4, "lam…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
            ("lamp", 1, "…"), ("lamp", 0, ""), ("", 0, ""),
        ])
    func truncating(_ text: String, _ width: Int, _ result: String) {
        #expect(TextWidth.truncated(text, to: width) == result)
    }

    @Test("Text is padded on the right, and never truncated")
    func padding() {
        #expect(TextWidth.padded("日", to: 4) == "日  ")
        #expect(TextWidth.padded("lamp", to: 2) == "lamp")
    }
}
