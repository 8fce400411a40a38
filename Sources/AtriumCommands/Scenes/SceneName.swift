internal import AtriumKit
package import AtriumText

/// The name of a scene that keeps its stack.
package struct SceneName {
    package let text: String

    private static let limit = 64

    /// - Throws: ``ShellError`` unless the text can be a file name.
    package init(_ text: String) throws(ShellError) {
        let isName =
            !text.isEmpty && text.utf8.count <= Self.limit && text.first != "." && text.first != "-"
            && text.utf8.allSatisfy { byte in
                let character = Character(UnicodeScalar(byte))
                return byte < 0x80 && (character.isLetter || character.isNumber || "._-".contains(character))
            }
        guard isName else {
            throw ShellError(
                "badSceneName", "'\(text.shortened)' can't be the name of a scene.",
                hint: "Use up to \(Self.limit) letters, digits, dots, underscores and dashes.",
                category: .usage)
        }
        self.text = text
    }
}
