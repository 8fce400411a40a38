extension EntityQuery {
    /// Whether `entity` passes the filters.
    func includes(_ entity: Entity) -> Bool {
        if let category, !Self.isSame(SearchKey.of(category), SearchKey.of(entity.category ?? "")) {
            return false
        }
        guard let search else { return true }
        let text = SearchKey.ofAll(name: entity.name, category: entity.category, notes: entity.notes)
        return Self.contains(SearchKey.of(search), in: text)
    }

    /// Compares scalars, as the database does; `==` would compare normalized texts.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.unicodeScalars.elementsEqual(right.unicodeScalars)
    }

    private static func contains(_ needle: String, in text: String) -> Bool {
        let needle = Array(needle.utf8)
        var rest = text.utf8[...]
        while rest.count >= needle.count {
            if rest.starts(with: needle) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
