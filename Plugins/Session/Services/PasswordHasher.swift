import AtriumKit
import CSodium

/// Hashes passwords with Argon2id (libsodium's `crypto_pwhash_str`: salt and cost are part of the hash).
///
/// Hashing deliberately takes tens of milliseconds and megabytes, so it runs off the main actor.
struct PasswordHasher: Sendable {
    let operations: UInt64
    /// In bytes.
    let memory: Int
    /// A hash of an unknown password at the same cost, verified for an unknown email to take the same time.
    let decoy: String
    static let interactive = PasswordHasher(
        operations: UInt64(crypto_pwhash_OPSLIMIT_INTERACTIVE),
        memory: Int(crypto_pwhash_MEMLIMIT_INTERACTIVE),
        decoy: "$argon2id$v=19$m=65536,t=2,p=1$UtjAh1NL6FseljwRdvhR4g"
            + "$KaHpg74+Aim3Uq2vONd7q6iuWGgfOe1VDf4goo4RjN4")

    @concurrent func hash(_ password: String) async throws -> String {
        Sodium.prepare()
        var hash = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let status = crypto_pwhash_str(&hash, password, UInt64(password.utf8.count), operations, memory)
        guard status == 0 else { throw ServiceError.hashingFailed }
        return String(decoding: hash.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    @concurrent func verify(_ password: String, against hash: String) async -> Bool {
        Sodium.prepare()
        return crypto_pwhash_str_verify(hash, password, UInt64(password.utf8.count)) == 0
    }

    func isOutdated(_ hash: String) -> Bool {
        Sodium.prepare()
        return crypto_pwhash_str_needs_rehash(hash, operations, memory) != 0
    }
}

/// The library libsodium, initialized before its first use.
enum Sodium {
    /// Initializes the library once; after that, its functions may run on any thread.
    private static let isReady = sodium_init() >= 0

    static func prepare() {
        precondition(isReady, "libsodium could not be initialised: the system gives no random numbers.")
    }

    /// Random bytes in base64url without padding (RFC 4648, section 5).
    static func randomText(bytes count: Int) -> String {
        prepare()
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        let variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING
        var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(count, variant))
        sodium_bin2base64(&text, text.count, bytes, count, variant)
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

    static func random() -> SessionToken { SessionToken(text: Sodium.randomText(bytes: 32)) }

    var digest: [UInt8] {
        Sodium.prepare()
        var digest = [UInt8](repeating: 0, count: Int(crypto_generichash_BYTES))
        let bytes = Array(text.utf8)
        crypto_generichash(&digest, digest.count, bytes, UInt64(bytes.count), nil, 0)
        return digest
    }
}
