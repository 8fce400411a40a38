import AtriumManifest

@testable import AtriumLibraries

/// Signatures that minisign 0.11 made of a small file, with keys that were deleted afterwards.
///
/// `minisign -G -W`, then `minisign -S -m library`, with `-l` for the legacy form.
enum Recorded {
    static let library = Array("The bytes of a library.\n".utf8)

    static let key = "RWT52o316wDkECeYz6ofb3+B4tYneuNxfFMWtxm8lrRZ7knFuMW5BcZw"
    /// From the first line of the file of ``key``.
    static let keyID = "10E400EBF58DDAF9"

    static let otherKey = "RWSMvRydbOrB+Z3tXpmDRZ1UFzNIaVfqR1tTiUk2f3Y9K0BYk3FRFqwm"
    static let otherKeyID = "F9C1EA6C9D1CBD8C"

    static let prehashed = """
        untrusted comment: signature from minisign secret key
        RUT52o316wDkEMSd5FKQBksYmjWVe8jR+DIBH20JPYV206GpUhSLIwjyAP6eqR7/a1eYTZKrDQwrvTiy0rqfDGkdZ1SCe1GAsQc=
        trusted comment: Session 1.0.0
        +RovX1jmwor/xwoLmlkrriIbMkGVWgIaudCqMqCrL6374OaEXRmEJT8WAjgjKHtY5zFpl9JfWQaQiZLNyW2JBw==

        """

    static let legacy = """
        untrusted comment: signature from minisign secret key
        RWT52o316wDkEB2UnvzJVpuAfH/OGPt6mgf8L0lK7Nu4KOspA7lVZZrbSV8oPAo7SnLgKXYqoajh7Tr2gOzLHn9ckWtEwHMyagQ=
        trusted comment: Session 1.0.0, legacy
        OU4DWkgkFWdFcmujEeNPLHGmzOUTizBxtJYDolkP97hNwAcmdGTO17zUOBq3HsxtGe+oAUtHcmf7UaLFhSjVAA==

        """

    /// By ``otherKey``, with minisign's default comment.
    static let byOtherKey = """
        untrusted comment: signature from minisign secret key
        RUSMvRydbOrB+UoKrLVXnhA03mVUT1a/Iemqgvu+LeC18nSh9fqIFjGgdTXTdcdhoV/IGW79enKry/CR9WhbCdhtL/D02nfhtQQ=
        trusted comment: timestamp:1795259258\tfile:library\thashed
        rhYeysyZkl7XAczE8SwM8FoFQgqq//cANPYEGTOnRRQ/szyG9JQDkFBnIi9Lxgd2QV1SFwQcKO10PrnfFF02CA==

        """

    /// Replaces a line of a signature; lines count from 1.
    static func replacing(line number: Int, of signature: String, with line: String) -> String {
        var lines = signature.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines[number - 1] = line
        return lines.joined(separator: "\n")
    }

    /// A line of a signature, counted from 1.
    static func line(_ number: Int, of signature: String) -> String {
        String(signature.split(separator: "\n", omittingEmptySubsequences: false)[number - 1])
    }
}
