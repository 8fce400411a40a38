/// Finds keys that appear twice.
///
/// Searches a list while it is short, since the first dictionary of a new type costs a process 40 µs; then
/// uses a dictionary to keep the cost of hostile input linear.
struct FirstOccurrences<Key: Hashable> {
    private var list: [(key: Key, position: SourcePosition)] = []
    private var table: [Key: SourcePosition] = [:]

    /// Adds a key, or returns the position of its first occurrence.
    mutating func insert(_ key: Key, at position: SourcePosition) -> SourcePosition? {
        if list.count < 16 {
            for known in list where known.key == key { return known.position }
            list.append((key, position))
            return nil
        }
        if table.isEmpty {
            for known in list { table[known.key] = known.position }
        }
        if let first = table[key] { return first }
        table[key] = position
        return nil
    }
}
