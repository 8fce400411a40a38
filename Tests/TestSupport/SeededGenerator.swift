/// A small random number generator with a fixed seed (SplitMix64), so that failures can be reproduced.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension SeededGenerator {
    /// An input with a few bytes changed, left out, repeated, or taken from another one.
    ///
    /// - Parameters:
    ///   - kept: The inputs to begin with.
    ///   - telling: Bytes that mean something in such an input; some are inserted.
    ///   - most: The most changes.
    /// - Returns: The changed input.
    package mutating func input(from kept: [[UInt8]], _ telling: [[UInt8]], most: Int = 6) -> [UInt8] {
        var bytes = kept.randomElement(using: &self) ?? []
        for _ in 0..<Int.random(in: 1...most, using: &self) where !bytes.isEmpty {
            let offset = Int.random(in: bytes.indices, using: &self)
            let end = min(bytes.count, offset + Int.random(in: 1...20, using: &self))
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[offset] = UInt8.random(in: .min ... .max, using: &self)
            case 1: bytes.insert(contentsOf: telling.randomElement(using: &self) ?? [], at: offset)
            case 2: bytes.removeSubrange(offset..<end)
            case 3: bytes.insert(contentsOf: bytes[offset..<end], at: offset)
            default:
                let other = kept.randomElement(using: &self) ?? []
                bytes.replaceSubrange(offset..<end, with: other.prefix(offset + 20).suffix(20))
            }
        }
        return bytes
    }
}
