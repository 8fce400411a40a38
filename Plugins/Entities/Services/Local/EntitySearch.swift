import AtriumKit

/// How the text of a search is found in the search keys of entities: anywhere in them, as it stands.
///
/// The index `entitySearch` (SQLite FTS5, tokenizer trigram) knows every run of three characters of every
/// search key, so a text of at least three is found by it. Shorter ones, and those with characters that the
/// tokenizer takes for one another, are looked for in every key.
struct EntitySearch {
    /// The index, whose rows have the ids of entities.
    static let table = "entitySearch"

    private let key: String

    /// The search of a query; of no use where it has none.
    init(_ query: EntityQuery) {
        key = SearchKey.of(query.search ?? "")
    }

    /// Whether the index can tell; its characters are Unicode scalars.
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
