/// The number by which a minisign signature names its key.
struct MinisignKeyID: Sendable, Hashable, CustomStringConvertible {
    static let byteCount = 8

    /// 16 hexadecimal digits, as minisign prints them: the bytes of the file from the last to the first.
    let description: String

    init(_ bytes: some Collection<UInt8>) {
        let number = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let digits = String(number, radix: 16, uppercase: true)
        description = String(repeating: "0", count: 16 - digits.count) + digits
    }
}
