extension Link {
    /// The link as messages show it, see ``shown(_:)``.
    @_spi(Host) public var shown: String { Self.shown(description) }

    /// A text that may be a link, as messages show it: without the values of query items that are called like
    /// secrets.
    @_spi(Host) public static func shown(_ text: String) -> String {
        guard let mark = text.firstIndex(of: "?") else { return text }
        let items = text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        return text[...mark] + items.map(hidingSecret).joined(separator: "&")
    }

    private static func hidingSecret(_ item: Substring) -> Substring {
        guard let equals = item.firstIndex(of: "="), SecretName.matches(item[..<equals]) else { return item }
        return item[...equals] + "…"
    }
}
