internal import AtriumKit
package import AtriumText

/// The name of a scene that keeps its stack.
package struct SceneName {
    package let text: String

    private static let limit = 64

    /// - Throws: ``ShellError`` unless the text can be a file name.
    package init(_ text: String) throws(ShellError) {
        guard Self.isValid(text) else {
            throw ShellError(
                "badSceneName", "'\(text.shortened)' can't be the name of a scene.", hint: Self.rule,
                category: .usage)
        }
        self.text = text
    }

    /// True if a text can be a file name.
    static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= limit && text.first != "." && text.first != "-"
            && text.utf8.allSatisfy { byte in
                let character = Character(UnicodeScalar(byte))
                return byte < 0x80 && (character.isLetter || character.isNumber || "._-".contains(character))
            }
    }

    static let rule = "Use up to \(limit) letters, digits, dots, underscores and dashes."
}
