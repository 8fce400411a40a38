internal import CSodium

/// A public key of minisign.
///
/// The format: https://jedisct1.github.io/minisign/, "Public key format".
package struct MinisignKey: Sendable, Hashable {
    /// The key in base64, as `minisign -G` prints it.
    package let description: String
    /// Its key id, which signatures refer to.
    package let id: String
    private let key: [UInt8]

    /// Reads a key: base64 of the algorithm, the key id and the Ed25519 key.
    package init(_ text: String) throws(MinisignError) {
        let keyCount = Int(crypto_sign_PUBLICKEYBYTES)
        let bytes = try decodeBase64(text, count: 10 + keyCount, of: "a public key")
        guard bytes.starts(with: "Ed".utf8) else {
            throw MinisignError(reason: "it is for another algorithm than Ed25519")
        }
        description = text
        id = Self.number(bytes[2..<10])
        key = Array(bytes.suffix(keyCount))
    }

    /// 16 hexadecimal digits, as minisign prints them: the file's 8 bytes in reverse order.
    static func number(_ bytes: ArraySlice<UInt8>) -> String {
        let number = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// True if the owner of the key signed exactly these bytes.
    func hasSigned(_ bytes: [UInt8], _ signature: [UInt8]) -> Bool {
        precondition(Self.isReady, Self.noRandomNumbers)
        // The function reads the full length of a signature.
        guard signature.count == Int(crypto_sign_BYTES) else { return false }
        return crypto_sign_verify_detached(signature, bytes, UInt64(bytes.count), key) == 0
    }

    /// Initialises libsodium once; its functions may run on any thread afterwards.
    fileprivate static let isReady = sodium_init() >= 0
    fileprivate static let noRandomNumbers =
        "libsodium could not be initialised: the system gives no random numbers."
}

/// A secret key of minisign without a password, as made by `minisign -G -W`.
///
/// Keys with a password are left to minisign itself, which asks for it.
package struct MinisignSecretKey: Sendable {
    /// The largest file that is read.
    package static let sizeLimit = 4_000

    package let publicKey: MinisignKey
    private let number: [UInt8]
    private let key: [UInt8]

    /// Reads the contents of a key file: a comment, then base64 of algorithms, a salt, limits and the key.
    package init(_ bytes: [UInt8]) throws(MinisignError) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard lines.count == 2, lines[0].starts(with: "untrusted comment: ".utf8) else {
            throw MinisignError(reason: "it does not have the two lines of a secret key")
        }
        let text = String(
            decoding: lines[1].last == UInt8(ascii: "\r") ? lines[1].dropLast() : lines[1], as: UTF8.self)
        let fields = try decodeBase64(text, count: 158, of: "line 2, the key,")
        guard fields.starts(with: "Ed".utf8), fields[4..<6].elementsEqual("B2".utf8) else {
            throw MinisignError(reason: "it is for another algorithm than Ed25519")
        }
        guard fields[2..<4].elementsEqual([0, 0]) else {
            throw MinisignError(reason: "it has a password, which only minisign asks for")
        }
        number = Array(fields[54..<62])
        key = Array(fields[62..<126])
        precondition(MinisignKey.isReady, MinisignKey.noRandomNumbers)
        var (publicPart, secretPart) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 64))
        crypto_sign_seed_keypair(&publicPart, &secretPart, Array(key.prefix(32)))
        guard secretPart == key else { throw MinisignError(reason: "it is damaged") }
        publicKey = try MinisignKey(encodeBase64(Array("Ed".utf8) + number + publicPart))
    }

    /// The contents of the `.minisig` file of `content`, with a signed comment.
    package func signature(of content: [UInt8], comment: String) -> String {
        let signature = sign(ContentDigest(of: content).bytes)
        let commentSignature = sign(signature + Array(comment.utf8))
        return """
            untrusted comment: signature from minisign secret key
            \(encodeBase64(Array("ED".utf8) + number + signature))
            trusted comment: \(comment)
            \(encodeBase64(commentSignature))

            """
    }

    private func sign(_ bytes: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
        crypto_sign_detached(&signature, nil, bytes, UInt64(bytes.count), key)
        return signature
    }
}

/// A signature made by minisign: the contents of a `.minisig` file.
///
/// Four lines: a comment that is not signed, the signature of the file, a comment that is signed
/// together with that signature, and the signature of the two. The format:
/// https://jedisct1.github.io/minisign/, "Signature format".
package struct MinisignSignature: Hashable {
    /// The largest file that is read; minisign itself writes and reads comments of up to 8 KB.
    package static let sizeLimit = 16_000

    /// The path of a file's signature.
    package static func path(of file: String) -> String { file + ".minisig" }

    /// True if the BLAKE2b digest of the file was signed, not the file itself as by `minisign -S -l`.
    package let isOfDigest: Bool
    /// The key that signed, according to the file.
    package let keyID: String
    private let signature: [UInt8]
    private let commentSignature: [UInt8]
    private let comment: [UInt8]

    package init(_ bytes: [UInt8]) throws(MinisignError) {
        let lines = try Self.lines(of: bytes)
        let count = Int(crypto_sign_BYTES)
        _ = try Self.text(of: lines[0], after: "untrusted comment: ", line: 1)
        let signed = try decodeBase64(
            String(decoding: lines[1], as: UTF8.self), count: 10 + count, of: "line 2, the signature,")
        isOfDigest = signed.starts(with: "ED".utf8)
        guard isOfDigest || signed.starts(with: "Ed".utf8) else {
            throw MinisignError(reason: "line 2 is a signature of another algorithm than Ed25519")
        }
        keyID = MinisignKey.number(signed[2..<10])
        signature = Array(signed.suffix(count))
        comment = try Self.text(of: lines[2], after: "trusted comment: ", line: 3)
        commentSignature = try decodeBase64(
            String(decoding: lines[3], as: UTF8.self), count: count,
            of: "line 4, the signature of the comment,")
    }

    /// The signer's comment on the file; trust it only if ``isCommentValid(by:)``.
    var trustedComment: String { String(decoding: comment, as: UTF8.self) }

    /// True if the key's owner signed this content: the file's digest or the file, see ``isOfDigest``.
    package func isValid(for content: [UInt8], by key: MinisignKey) -> Bool {
        key.hasSigned(content, signature)
    }

    /// True if the owner of the key signed ``trustedComment`` together with the signature.
    package func isCommentValid(by key: MinisignKey) -> Bool {
        key.hasSigned(signature + comment, commentSignature)
    }

    /// The four lines without line endings, which may be CRLF; minisign accepts those too.
    private static func lines(of bytes: [UInt8]) throws(MinisignError) -> [ArraySlice<UInt8>] {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard lines.count == 4 else {
            let found = lines.count == 1 ? "1 line" : "\(lines.count) lines"
            throw MinisignError(reason: "a signature has 4 lines, this has \(found)")
        }
        return lines
    }

    private static func text(
        of line: ArraySlice<UInt8>, after prefix: String, line number: Int
    ) throws(MinisignError) -> [UInt8] {
        guard line.starts(with: prefix.utf8) else {
            throw MinisignError(reason: "line \(number) does not begin with '\(prefix)'")
        }
        return Array(line.dropFirst(prefix.utf8.count))
    }
}

/// A reason why a text is not a minisign key or signature.
package struct MinisignError: Error, Hashable {
    /// A clause that follows a colon.
    package let reason: String
}

/// Reads base64 (RFC 4648, section 4, with padding) of exactly `count` bytes; `what` names it in errors.
private func decodeBase64(_ text: String, count: Int, of what: String) throws(MinisignError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var found = 0
    let length = text.utf8.count
    let expected = (count + 2) / 3 * 4
    guard length == expected else {
        throw MinisignError(reason: "\(what) has \(expected) characters, not \(length)")
    }
    let status = sodium_base642bin(
        &bytes, count, text, length, nil, &found, nil, sodium_base64_VARIANT_ORIGINAL)
    guard status == 0, found == count else {
        throw MinisignError(reason: "\(what) in base64 was expected")
    }
    return bytes
}

/// Writes base64 in the format that ``decodeBase64(_:count:of:)`` reads.
private func encodeBase64(_ bytes: [UInt8]) -> String {
    let length = sodium_base64_encoded_len(bytes.count, sodium_base64_VARIANT_ORIGINAL)
    var text = [CChar](repeating: 0, count: length)
    _ = sodium_bin2base64(&text, length, bytes, bytes.count, sodium_base64_VARIANT_ORIGINAL)
    return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}
