internal import AtriumKit
package import AtriumText
internal import Glibc

/// A path that transcripts refer to by name: `--define NAME=PATH`.
package struct PathDefinition: Sendable, Hashable {
    package let name: String
    /// Absolute.
    package let path: String

    package init(name: String, path: String) {
        (self.name, self.path) = (name, path)
    }

    /// - Throws: ``ShellError`` unless the text is a variable name, `=` and a path.
    package init(_ text: String) throws(ShellError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let isName = parts[0].utf8.enumerated().allSatisfy { index, byte in
            let character = Character(UnicodeScalar(byte))
            return byte == UInt8(ascii: "_") || byte < 0x80 && character.isLetter
                || index > 0 && byte < 0x80 && character.isNumber
        }
        guard parts.count == 2, isName, !parts[0].isEmpty, !parts[1].isEmpty,
            !Self.own.contains(String(parts[0]))
        else {
            throw ShellError(
                "usage", "'\(text.shortened)' is not a name and a path.", hint: "--define ROOT=/srv/project",
                category: .usage)
        }
        name = String(parts[0])
        let given = String(parts[1])
        guard !given.hasPrefix("/"), let current = getcwd(nil, 0) else {
            path = given
            return
        }
        defer { free(current) }
        path = "\(String(cString: current))/\(given)"
    }

    /// Names that are predefined.
    private static let own = ["HOME", "DATA", "ATRIUM", "PATH"]
}
