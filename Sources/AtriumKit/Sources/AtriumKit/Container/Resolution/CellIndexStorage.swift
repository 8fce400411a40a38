@MainActor
final class CellIndexStorage {
    /// The address stays the same while the index grows; unsafe for the deinitializer only.
    nonisolated(unsafe) let pointer: UnsafeMutablePointer<CellIndex>
    private var count = 0

    init() {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: .allocate(logarithm: 4))
    }

    deinit {
        pointer.pointee.entries.deallocate()
        pointer.deallocate()
    }

    func insert(_ word: UInt, _ cell: UnsafeMutablePointer<Cell>) {
        guard pointer.pointee.cell(word) == nil else { return }
        count += 1
        if UInt(count) * 2 > pointer.pointee.mask { grow() }
        pointer.pointee.insert(word, cell)
    }

    func removeAll() {
        count = 0
        pointer.pointee.entries.deallocate()
        pointer.pointee = .allocate(logarithm: 4)
    }

    private func grow() {
        let old = pointer.pointee
        pointer.pointee = .allocate(logarithm: 64 - old.shift + 1)
        for index in 0...Int(old.mask) {
            let entry = old.entries[index]
            if let cell = entry.cell { pointer.pointee.insert(entry.word, cell) }
        }
        old.entries.deallocate()
    }
}

extension CellIndex {
    fileprivate static func allocate(logarithm: UInt) -> CellIndex {
        let count = 1 << logarithm
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: count)
        entries.initialize(repeating: Entry(word: 0, cell: nil), count: count)
        return CellIndex(entries: entries, shift: 64 - logarithm, mask: UInt(count - 1))
    }

    fileprivate func insert(_ word: UInt, _ cell: UnsafeMutablePointer<Cell>) {
        var index = Self.hash(word) &>> shift
        while entries[Int(index)].word != 0 { index = (index &+ 1) & mask }
        entries[Int(index)] = Entry(word: word, cell: cell)
    }
}

extension UnsafeMutablePointer<CellIndex> {
    @MainActor static let empty: Self = {
        let pointer = Self.allocate(capacity: 1)
        pointer.initialize(to: .allocate(logarithm: 1))
        return pointer
    }()
}
