/// The words for a record, by the rules of `RecordNoun` in AtriumKit.
struct RecordNoun {
    let singular: String
    let plural: String

    init(_ singular: String, plural: String? = nil) {
        self.singular = singular
        self.plural = plural ?? Self.plural(of: singular)
    }

    /// Creates the words from a type's name: `book loan` from `BookLoan`.
    init(typeName: String) {
        var words = ""
        for letter in typeName where typeName.utf8.allSatisfy({ $0 < 0x80 }) {
            if letter.isUppercase, !words.isEmpty { words += " " }
            words += letter == "_" ? " " : letter.lowercased()
        }
        self.init(words.isEmpty ? typeName.lowercased() : words)
    }

    /// `a book`, `an order`.
    var withArticle: String {
        "\(singular.first.map("aeiou".contains) == true ? "an" : "a") \(singular)"
    }

    private static func plural(of word: String) -> String {
        if word.hasSuffix("lf") { return word.dropLast() + "ves" }
        if word.hasSuffix("y"), word.dropLast().last.map("aeiou".contains) == false {
            return word.dropLast() + "ies"
        }
        return word + (["s", "x", "z", "ch", "sh"].contains(where: word.hasSuffix) ? "es" : "s")
    }
}
