extension String {
    /// The text without white space around it.
    var trimmed: String {
        let isSpace: (Character) -> Bool = \.isWhitespace
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(self[first...last])
    }
}

extension String {
    /// The text, or nil where it is empty.
    var nilIfEmpty: String? { isEmpty ? nil : self }
}
