/// A signature that minisign has made: the contents of a `.minisig` file.
///
/// Four lines: a comment that nothing vouches for, the signature of the file, a comment that is signed
/// together with that signature, and the signature of the two. The format:
/// https://jedisct1.github.io/minisign/, "Signature format".
struct MinisignSignature: Hashable {
    /// What was signed.
    enum Form: Hashable {
        /// The file itself, as `minisign -S -l` does.
        case legacy
        /// The BLAKE2b digest of the file, 64 bytes.
        case prehashed
    }

    /// How large a file is read; minisign itself writes and reads comments of up to 8 KB.
    static let sizeLimit = 16_000

    let form: Form
    /// The key that has signed, according to the file.
    let keyID: MinisignKeyID
    /// What the signer says about the file; worth something once ``vouchesForComment(by:)`` holds.
    let trustedComment: String
    private let signature: [UInt8]
    private let commentSignature: [UInt8]
    private let commentBytes: [UInt8]

    /// Reads the bytes of a `.minisig` file.
    init(_ bytes: [UInt8]) throws(MinisignProblem) {
        let lines = try Self.lines(of: bytes)
        _ = try Self.text(of: lines[0], after: "untrusted comment: ", line: 1)
        let signed = try Base64.bytes(
            String(decoding: lines[1], as: UTF8.self),
            count: 2 + MinisignKeyID.byteCount + Self.signatureCount, of: "line 2, the signature,")
        switch signed.prefix(2) {
        case Array("Ed".utf8)[...]: form = .legacy
        case Array("ED".utf8)[...]: form = .prehashed
        default: throw MinisignProblem("line 2 is a signature of another algorithm than Ed25519")
        }
        keyID = MinisignKeyID(signed[2...].prefix(MinisignKeyID.byteCount))
        signature = Array(signed.suffix(Self.signatureCount))
        commentBytes = try Self.text(of: lines[2], after: "trusted comment: ", line: 3)
        trustedComment = String(decoding: commentBytes, as: UTF8.self)
        commentSignature = try Base64.bytes(
            String(decoding: lines[3], as: UTF8.self), count: Self.signatureCount,
            of: "line 4, the signature of the comment,")
    }

    /// Whether the owner of the key has signed this content: for ``Form/legacy`` the file, for
    /// ``Form/prehashed`` its digest.
    func vouches(for content: [UInt8], by key: MinisignKey) -> Bool {
        key.hasSigned(content, signature)
    }

    /// Whether the owner of the key has signed ``trustedComment`` together with the signature.
    func vouchesForComment(by key: MinisignKey) -> Bool {
        key.hasSigned(signature + commentBytes, commentSignature)
    }

    private static let signatureCount = 64

    /// The four lines without their ends, which may be CRLF; minisign reads those too.
    private static func lines(of bytes: [UInt8]) throws(MinisignProblem) -> [ArraySlice<UInt8>] {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard lines.count == 4 else {
            throw MinisignProblem(
                "a signature has 4 lines, this has \(lines.count == 1 ? "1 line" : "\(lines.count) lines")")
        }
        return lines
    }

    private static func text(
        of line: ArraySlice<UInt8>, after prefix: String, line number: Int
    ) throws(MinisignProblem) -> [UInt8] {
        guard line.starts(with: prefix.utf8) else {
            throw MinisignProblem("line \(number) does not begin with '\(prefix)'")
        }
        return Array(line.dropFirst(prefix.utf8.count))
    }
}
