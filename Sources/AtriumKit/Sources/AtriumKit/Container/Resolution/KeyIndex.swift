/// Numbers keys in the order in which they are first seen; by open addressing, like ``CellIndex``, if they
/// have no label.
struct KeyIndex {
    private(set) var count = 0
    private var labelled: [RegistrationKey: Int] = [:]
    /// Each word with the number of its key; 0 in an empty entry.
    private var entries: [(word: UInt, number: Int)] = []
    private var shift: UInt = 64

    init() {}

    init(capacity: Int) {
        var size = 16
        while size < capacity * 2 + 2 { size *= 2 }
        resize(to: size)
    }

    func number(of key: RegistrationKey) -> Int? {
        key.label == nil ? number(ofWord: key.word) : labelled[key]
    }

    func number(ofWord word: UInt) -> Int? {
        guard !entries.isEmpty else { return nil }
        let entry = entries[entryIndex(of: word)]
        return entry.word == 0 ? nil : entry.number
    }

    /// The number of `key`, which is the next one if it was not seen.
    mutating func numberInserting(_ key: RegistrationKey) -> (number: Int, isNew: Bool) {
        guard key.label != nil else { return numberInserting(word: key.word) }
        if let number = labelled[key] { return (number, false) }
        labelled[key] = count
        count += 1
        return (count - 1, true)
    }

    mutating func numberInserting(word: UInt) -> (number: Int, isNew: Bool) {
        if (count + 1) * 2 > entries.count { resize(to: max(16, entries.count * 2)) }
        let index = entryIndex(of: word)
        if entries[index].word != 0 { return (entries[index].number, false) }
        entries[index] = (word, count)
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
