@testable import Session

extension PasswordHasher {
    /// The least that libsodium allows: one pass over 8 KiB.
    static let minimal = PasswordHasher(
        operations: 1, memory: 8_192,
        decoy: "$argon2id$v=19$m=8,t=1,p=1$bVUCeVDLyLcnADasIbZ4+g"
            + "$H88mQQf8wPuars1wiw2XyFOH8tDR6bf4UojeV5G6zyY")
}
