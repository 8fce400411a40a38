import CSodium

/// Random bytes and digests of libsodium, initialized before their first use.
enum Sodium {
    /// Initializes the library once; after that, its functions may run on any thread.
    private static let isReady = sodium_init() >= 0

    static func prepare() {
        precondition(isReady, "libsodium could not be initialised: the system gives no random numbers.")
    }

    static func randomBytes(_ count: Int) -> [UInt8] {
        prepare()
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }

    static func digest(_ bytes: [UInt8]) -> [UInt8] {
        prepare()
        var digest = [UInt8](repeating: 0, count: Int(crypto_generichash_BYTES))
        crypto_generichash(&digest, digest.count, bytes, UInt64(bytes.count), nil, 0)
        return digest
    }

    /// The bytes in base64url without padding (RFC 4648, section 5).
    static func base64URL(_ bytes: [UInt8]) -> String {
        prepare()
        let variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING
        var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
        sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
        return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// The secret that proves a session.
///
/// The host keeps the token, the service only its digest, so that the database is not enough to sign in. A
/// fast digest suffices, because 32 random bytes can't be guessed.
struct SessionToken: Sendable {
    /// 32 random bytes in base64url, 43 characters.
    let text: String

    static func random() -> SessionToken {
        SessionToken(text: Sodium.base64URL(Sodium.randomBytes(32)))
    }

    var digest: [UInt8] { Sodium.digest(Array(text.utf8)) }
}
