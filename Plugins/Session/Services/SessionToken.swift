/// The secret that proves a session.
///
/// The person's side keeps the token, the service only its digest: who reads the database cannot sign in.
/// A fast digest is enough, because 32 random bytes cannot be guessed.
struct SessionToken: Sendable {
    /// The token as the person's side keeps it: 32 random bytes in base64url, 43 characters.
    let text: String

    /// A token that nobody has seen before.
    static func random() -> SessionToken {
        SessionToken(text: Sodium.base64URL(Sodium.randomBytes(32)))
    }

    /// What the service keeps: the BLAKE2b digest of the text.
    var digest: [UInt8] { Sodium.digest(Array(text.utf8)) }
}
