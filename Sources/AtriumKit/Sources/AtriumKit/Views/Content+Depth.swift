extension Content {
    /// The content, with a notice for the groups that are nested too deeply: rendering recurses.
    @_spi(Host) public var bounded: Content { isDeeper(than: Self.deepest) ? cut(at: Self.deepest) : self }

    private static let deepest = 64

    private func isDeeper(than depth: Int) -> Bool {
        blocks.contains { block in
            guard case .group(_, let inner) = block else { return false }
            return depth == 0 || inner.isDeeper(than: depth - 1)
        }
    }

    private func cut(at depth: Int) -> Content {
        Content(
            blocks.map { block in
                guard case .group(let key, let inner) = block else { return block }
                guard depth > 0 else {
                    return .notice(Notice(.warning, "Groups that are nested deeper are not shown."))
                }
                return .group(key: key, inner.cut(at: depth - 1))
            })
    }
}
