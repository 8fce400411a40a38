import TestSupport

extension SeededGenerator {
    /// Returns a word of `length` scalars that are special in the shell or hard to preserve.
    mutating func word(length: ClosedRange<Int>) -> String {
        let scalars = Array("ab7-=@#;:'\"\\ \t\n\r…é日本\u{301}\u{93E}😀👍🏽\u{200D}\u{A0}".unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: length, using: &self) {
            text.append(scalars.randomElement(using: &self) ?? "x")
        }
        return String(text)
    }
}
