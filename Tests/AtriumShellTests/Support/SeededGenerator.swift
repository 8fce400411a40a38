/// A small generator with a fixed seed (SplitMix64), so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A word of up to `length` scalars that mean something to the shell, or are hard to keep.
    mutating func word(length: ClosedRange<Int>) -> String {
        let scalars = Array("ab7-=@#;:'\"\\ \t\n\r…é日本\u{301}\u{93E}😀👍🏽\u{200D}\u{A0}".unicodeScalars)
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: length, using: &self) {
            text.append(scalars.randomElement(using: &self) ?? "x")
        }
        return String(text)
    }
}
