/// A set of Unicode scalars, as sorted ranges that don't touch.
struct ScalarSet: Sendable {
    /// Scalars that follow each other, both ends included.
    ///
    /// Not a `ClosedRange`: the first array of those costs a process 40 µs, while the runtime searches for
    /// conformances.
    struct Range: Sendable {
        let lower: UInt32
        let upper: UInt32

        init(_ lower: UInt32, _ upper: UInt32) {
            self.lower = lower
            self.upper = upper
        }
    }

    private(set) var ranges: [Range] = []

    /// The union of ranges in any order.
    init(_ ranges: [Range]) {
        for range in ranges.sorted(by: { $0.lower < $1.lower }) {
            if let last = self.ranges.last, range.lower <= last.upper + 1 {
                self.ranges[self.ranges.count - 1] = Range(last.lower, max(last.upper, range.upper))
            } else {
                self.ranges.append(range)
            }
        }
    }

    /// A single scalar.
    init(_ scalar: Unicode.Scalar) {
        ranges = [Range(scalar.value, scalar.value)]
    }

    /// Every scalar that isn't in the set.
    var complement: ScalarSet {
        var result: [Range] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lower > next { result.append(Range(next, range.lower - 1)) }
            next = range.upper + 1
        }
        if next <= 0x10FFFF { result.append(Range(next, 0x10FFFF)) }
        return ScalarSet(result)
    }

    /// Whether a scalar is in the set.
    func contains(_ scalar: UInt32) -> Bool {
        for range in ranges where range.lower <= scalar && scalar <= range.upper { return true }
        return false
    }

    /// What `\d` stands for.
    static let digits = ScalarSet([Range(0x30, 0x39)])

    /// What `\w` stands for.
    static let wordCharacters = ScalarSet([
        Range(0x30, 0x39), Range(0x41, 0x5A), Range(0x5F, 0x5F), Range(0x61, 0x7A),
    ])

    /// `\s`: ECMA-262's white space and line terminators.
    static let spaces = ScalarSet([
        Range(0x09, 0x0D), Range(0x20, 0x20), Range(0xA0, 0xA0), Range(0x1680, 0x1680),
        Range(0x2000, 0x200A), Range(0x2028, 0x2029), Range(0x202F, 0x202F), Range(0x205F, 0x205F),
        Range(0x3000, 0x3000), Range(0xFEFF, 0xFEFF),
    ])

    /// `.`: everything but line terminators.
    static let anyButLineEnds = ScalarSet([
        Range(0x0A, 0x0A), Range(0x0D, 0x0D), Range(0x2028, 0x2029),
    ]).complement
}
