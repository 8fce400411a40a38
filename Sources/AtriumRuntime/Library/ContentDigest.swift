internal import CSodium

/// The BLAKE2b digest of a file's content, as `b2sum` prints it.
struct ContentDigest: Hashable, CustomStringConvertible {
    static let byteCount = 64
    /// 128 hexadecimal digits.
    let description: String

    init(of bytes: [UInt8]) {
        let length = Self.byteCount
        var digest = [UInt8](repeating: 0, count: length)
        crypto_generichash(&digest, length, bytes, UInt64(bytes.count), nil, 0)
        let digits = Array("0123456789abcdef".utf8)
        description = String(unsafeUninitializedCapacity: length * 2) { buffer in
            for (index, byte) in digest.enumerated() {
                buffer[index * 2] = digits[Int(byte >> 4)]
                buffer[index * 2 + 1] = digits[Int(byte & 15)]
            }
            return length * 2
        }
    }
}
