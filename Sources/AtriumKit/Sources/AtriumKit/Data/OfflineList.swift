/// The rows seen of a sorted list, by index, for an ``OfflineStore``; they are forgotten when the total
/// changes, which moves them.
public struct OfflineList<Element: Identifiable & Codable & Sendable>: Codable, Sendable {
    private struct Row: Codable, Sendable {
        var element: Element
        /// When the element was seen at this index.
        let seenAt: Timestamp
    }

    /// The number of rows of the whole list.
    public private(set) var total = 0
    private var seenAt = Timestamp(microseconds: .min)
    private var rows: [Int: Row] = [:]

    /// Creates a list of which no row was seen.
    public init() {}

    private enum CodingKeys: CodingKey {
        case total, seenAt, rows
    }

    /// - Throws: `DecodingError` also for a total or an index that no list has.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        total = try container.decode(RowCount.self, forKey: .total).wrappedValue
        seenAt = try container.decode(Timestamp.self, forKey: .seenAt)
        rows = try container.decode([Int: Row].self, forKey: .rows)
        guard rows.keys.allSatisfy(RowCounts.range.contains) else {
            throw DecodingError.dataCorruptedError(
                forKey: .rows, in: container, debugDescription: "The index of a row is out of range.")
        }
    }

    /// Adds a page of at most `size` rows after the first `offset`; beyond `capacity`, the rows seen longest
    /// ago are dropped first.
    public mutating func add(
        _ elements: [Element], offset: Int, size: Int, total: Int, at moment: Timestamp, capacity: Int = 1_000
    ) {
        if total != self.total { rows = [:] }
        (self.total, seenAt) = (total, moment)
        let ids = Set(elements.map(\.id))
        let page = offset..<max(offset, offset.addingClamped(size))
        rows = rows.filter { index, row in !page.contains(index) && !ids.contains(row.element.id) }
        for (index, element) in elements.enumerated() {
            rows[offset.addingClamped(index)] = Row(element: element, seenAt: moment)
        }
        guard rows.count > capacity else { return }
        let oldest = rows.sorted { ($0.value.seenAt, $0.key) < ($1.value.seenAt, $1.key) }
        for (index, _) in oldest.prefix(rows.count - capacity) { rows[index] = nil }
    }

    /// Sets the number of rows, which keeps the rows.
    mutating func adopt(total: Int) { self.total = total }

    /// Replaces an element, if it was seen.
    public mutating func update(_ element: Element) {
        if let index = index(of: element.id) { rows[index]?.element = element }
    }

    /// Removes an element, if it was seen; those after it move up.
    public mutating func remove(_ id: Element.ID) {
        guard let removed = index(of: id) else { return }
        rows[removed] = nil
        rows = Dictionary(uniqueKeysWithValues: rows.map { ($0 > removed ? $0 - 1 : $0, $1) })
        total = max(total - 1, 0)
    }

    /// Returns an element, with the time when it was seen.
    public func element(_ id: Element.ID) -> Stale<Element>? {
        index(of: id).flatMap { rows[$0] }.map { Stale($0.element, asOf: $0.seenAt) }
    }

    /// Returns the rows of a page, with the time when the oldest was seen; nil unless all of them were.
    public func page(offset: Int, size: Int) -> Stale<[Element]>? {
        let range = offset..<max(offset, min(offset.addingClamped(size), total))
        let found = range.compactMap { rows[$0] }
        guard found.count == range.count else { return nil }
        return Stale(found.map(\.element), asOf: found.map(\.seenAt).min() ?? seenAt)
    }

    /// All rows, with the time when the oldest was seen; nil unless all of them were.
    public var all: Stale<[Element]>? { page(offset: 0, size: total) }

    private func index(of id: Element.ID) -> Int? { rows.first { $0.value.element.id == id }?.key }
}
