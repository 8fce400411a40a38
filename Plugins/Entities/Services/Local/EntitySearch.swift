import AtriumKit

/// Finds the text of a search anywhere in the search keys of entities.
///
/// The index `entitySearch` (SQLite FTS5, tokenizer trigram) has every run of three characters of every search
/// key. Shorter texts, and those with characters that the tokenizer confuses, are compared with every key.
struct EntitySearch {
    static let table = "entitySearch"

    private let key: String

    init(_ query: EntityQuery) {
        key = SearchKey.of(query.search ?? "")
    }

    /// Whether the index can be used; its characters are Unicode scalars.
    var isIndexed: Bool {
        var count = 0
        for scalar in key.unicodeScalars {
            // The tokenizer reads the two noncharacters as the replacement character.
            guard !(0xFFFD...0xFFFF).contains(scalar.value) else { return false }
            count += 1
        }
        return count >= 3
    }

    /// The condition on a row; its argument is ``argument``.
    var condition: String {
        isIndexed ? "\(Self.table) MATCH ?" : "instr(searchKey, ?) > 0"
    }

    /// The text, for the index as a phrase in quotes.
    var argument: DatabaseValue {
        guard isIndexed else { return .text(key) }
        // By scalars: a quote with an accent is another character than a quote.
        var phrase = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in key.unicodeScalars {
            if scalar == "\"" { phrase.append(scalar) }
            phrase.append(scalar)
        }
        phrase.append("\"")
        return .text(String(phrase))
    }
}
