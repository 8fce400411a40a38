/// Numbers keys in the order in which they are first seen.
///
/// Keys without a label are found by open addressing over the address of their type, like ``CellIndex``.
struct KeyIndex {
    private(set) var count = 0
    private var labelled: [RegistrationKey: Int] = [:]
    /// Each word with the number of its key; 0 in an empty entry.
    private var entries: [(word: UInt, number: Int)] = []
    private var shift: UInt = 64

    init() {}

    /// An index with room for `capacity` keys.
    init(capacity: Int) {
        var size = 16
        while size < capacity * 2 + 2 { size *= 2 }
        resize(to: size)
    }

    /// The number of `key`; nil where it was not seen.
    func number(of key: RegistrationKey) -> Int? {
        key.label == nil ? number(ofWord: key.word) : labelled[key]
    }

    /// The number of the key without a label whose word is `word`; nil where it was not seen.
    func number(ofWord word: UInt) -> Int? {
        guard !entries.isEmpty else { return nil }
        let entry = entries[place(of: word)]
        return entry.word == 0 ? nil : entry.number
    }

    /// The number of `key`, which is the next one where it was not seen.
    mutating func numberInserting(_ key: RegistrationKey) -> (number: Int, isNew: Bool) {
        guard key.label != nil else { return numberInserting(word: key.word) }
        if let number = labelled[key] { return (number, false) }
        labelled[key] = count
        count += 1
        return (count - 1, true)
    }

    /// The same for the key without a label whose word is `word`.
    mutating func numberInserting(word: UInt) -> (number: Int, isNew: Bool) {
        if (count + 1) * 2 > entries.count { resize(to: max(16, entries.count * 2)) }
        let place = place(of: word)
        if entries[place].word != 0 { return (entries[place].number, false) }
        entries[place] = (word, count)
        count += 1
        return (count - 1, true)
    }

    /// Where `word` stands, or could be put.
    private func place(of word: UInt) -> Int {
        var place = Int(CellIndex.hash(word) &>> shift)
        while entries[place].word != word, entries[place].word != 0 {
            place = (place &+ 1) & (entries.count &- 1)
        }
        return place
    }

    private mutating func resize(to size: Int) {
        let old = entries
        shift = UInt(64 - size.trailingZeroBitCount)
        entries = Array(repeating: (0, 0), count: size)
        for entry in old where entry.word != 0 { entries[place(of: entry.word)] = entry }
    }
}
