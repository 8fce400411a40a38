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
