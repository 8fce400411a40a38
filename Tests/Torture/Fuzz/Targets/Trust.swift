@testable import AtriumLibraries

extension FuzzTarget {
    /// The keys and signatures of minisign, and digests.
    static let trust = FuzzTarget(name: "trust") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let key = try MinisignKey("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3")
        if let read = try? MinisignKey(text) { _ = read.hasSigned(bytes, bytes) }
        if let signature = try? MinisignSignature(bytes) {
            try require(!signature.isValid(for: bytes, by: key), "a made-up signature is valid")
            try require(!signature.isCommentValid(by: key), "a made-up comment is valid")
            _ = (signature.trustedComment, signature.keyID)
        }
        _ = ContentDigest(hexadecimal: text)
    }
}
