internal import CSodium

/// A public key of minisign.
///
/// The format: https://jedisct1.github.io/minisign/, "Public key format".
package struct MinisignKey: Sendable, Hashable, CustomStringConvertible {
    /// The key as `minisign -G` prints it and modules.json has it.
    package let description: String
    let id: MinisignKeyID
    private let key: [UInt8]

    /// Reads a key: base64 of the algorithm, the key's number and the key of Ed25519.
    init(_ text: String) throws(MinisignProblem) {
        let keyCount = 32
        let bytes = try Base64.bytes(
            text, count: 2 + MinisignKeyID.byteCount + keyCount, of: "a public key")
        guard bytes.starts(with: "Ed".utf8) else {
            throw MinisignProblem("it is for another algorithm than Ed25519")
        }
        description = text
        id = MinisignKeyID(bytes[2...].prefix(MinisignKeyID.byteCount))
        key = Array(bytes.suffix(keyCount))
    }

    /// Whether the owner of the key has signed exactly these bytes.
    func hasSigned(_ bytes: [UInt8], _ signature: [UInt8]) -> Bool {
        precondition(Self.isReady, "libsodium could not be initialised: the system gives no random numbers.")
        // The function reads as many bytes as a signature has.
        guard signature.count == Int(crypto_sign_BYTES), key.count == Int(crypto_sign_PUBLICKEYBYTES) else {
            return false
        }
        return crypto_sign_verify_detached(signature, bytes, UInt64(bytes.count), key) == 0
    }

    /// Initialises the library once; its functions may run on any thread afterwards.
    private static let isReady = sodium_init() >= 0
}
