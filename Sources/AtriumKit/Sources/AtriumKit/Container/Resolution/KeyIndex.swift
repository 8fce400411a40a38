/// Numbers keys in the order in which they are first seen; by open addressing, like ``CellIndex``, if they
/// have no label.
struct KeyIndex {
    private(set) var count = 0
    private var labelled: [RegistrationKey: Int] = [:]
    /// Each word with the number of its key; 0 in an empty entry.
    private var entries: [(word: UInt, number: Int)] = []
    private var shift: UInt = 64

    func number(of key: RegistrationKey) -> Int? {
        guard key.label == nil else { return labelled[key] }
        guard !entries.isEmpty else { return nil }
        let entry = entries[entryIndex(of: key.word)]
        return entry.word == 0 ? nil : entry.number
    }

    mutating func numberInserting(_ key: RegistrationKey) -> (number: Int, isNew: Bool) {
        if key.label != nil {
            if let number = labelled[key] { return (number, false) }
            labelled[key] = count
        } else {
            if (count + 1) * 2 > entries.count { resize(to: max(16, entries.count * 2)) }
            let index = entryIndex(of: key.word)
            if entries[index].word != 0 { return (entries[index].number, false) }
            entries[index] = (key.word, count)
        }
        count += 1
        return (count - 1, true)
    }

    /// The index of the entry that has `word`, or could take it.
    private func entryIndex(of word: UInt) -> Int {
        var index = Int(CellIndex.hash(word) &>> shift)
        while entries[index].word != word, entries[index].word != 0 {
            index = (index &+ 1) & (entries.count &- 1)
        }
        return index
    }

    private mutating func resize(to size: Int) {
        let old = entries
        shift = UInt(64 - size.trailingZeroBitCount)
        entries = Array(repeating: (0, 0), count: size)
        for entry in old where entry.word != 0 { entries[entryIndex(of: entry.word)] = entry }
    }
}
