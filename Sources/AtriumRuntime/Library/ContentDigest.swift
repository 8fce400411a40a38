internal import CSodium

/// The BLAKE2b digest of a file's content, as `b2sum` prints it.
struct ContentDigest: Hashable, CustomStringConvertible {
    static let byteCount = 64
    let bytes: [UInt8]
    /// 128 lower-case hexadecimal digits.
    let description: String

    init(of content: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: Self.byteCount)
        crypto_generichash(&digest, digest.count, content, UInt64(content.count), nil, 0)
        self.init(bytes: digest)
    }

    /// Reads what ``description`` gives; nil for any other text.
    init?(hexadecimal text: String) {
        var digest = [UInt8](repeating: 0, count: Self.byteCount)
        var count = 0
        let status = sodium_hex2bin(&digest, digest.count, text, text.utf8.count, nil, &count, nil)
        guard status == 0, count == digest.count else { return nil }
        self.init(bytes: digest)
        guard description == text else { return nil }
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        let length = 2 * bytes.count
        description = String(unsafeUninitializedCapacity: length + 1) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                _ = text.baseAddress.map { sodium_bin2hex($0, length + 1, bytes, bytes.count) }
            }
            return length
        }
    }
}
