import TestSupport

extension SeededGenerator {
    /// Returns a text of `length` scalars that are special in links or hard to preserve.
    mutating func text(length: ClosedRange<Int>) -> String {
        let scalars = Array(
            "ab9/?%&=+ #;:@.~-_'\"\\é日本語क\u{93E}\u{301}\u{345}😀👍🏽🇫🇷\u{200D}\u{7}\n".unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: length, using: &self) {
            text.append(scalars.randomElement(using: &self) ?? "x")
        }
        return String(text)
    }
}
