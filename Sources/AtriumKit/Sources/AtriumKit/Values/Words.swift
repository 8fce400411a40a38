/// Helpers for the words that people read.
enum Words {
    /// A label made from a key: `firstName` becomes `First name`.
    static func label(forKey key: String) -> String {
        var label = ""
        for character in key {
            if label.isEmpty {
                label += character.uppercased()
            } else if character.isUppercase {
                label += " " + character.lowercased()
            } else if character == "-" || character == "_" {
                label += " "
            } else {
                label.append(character)
            }
        }
        return label
    }
}
