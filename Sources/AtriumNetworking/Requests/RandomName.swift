/// Names that nothing else has: idempotency keys, ids of sign-ins.
enum RandomName {
    /// 128 random bits as 32 hexadecimal digits.
    static func make(_ random: () -> UInt64) -> String {
        [random(), random()].map(digits).joined()
    }

    private static func digits(_ bits: UInt64) -> String {
        let text = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
