/// The forms of texts under which entities are compared, sorted and found.
///
/// Case is ignored by Unicode's lower-case mapping, the same in every language; accents are not ignored,
/// and texts that differ in normalization differ.
enum SearchKey {
    /// Stands between the fields of an entity, so that no search matches across two of them: no field and
    /// no search may contain it.
    private static let separator = "\u{1F}"

    /// The form of one text.
    static func of(_ text: String) -> String {
        text.lowercased()
    }

    /// The form of all texts of an entity that a search looks at: name, category and notes.
    static func ofAll(name: String, category: String?, notes: String?) -> String {
        of([name, category ?? "", notes ?? ""].joined(separator: separator))
    }
}
