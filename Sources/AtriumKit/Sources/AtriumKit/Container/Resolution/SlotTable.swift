/// The slots of one container by key.
///
/// Slots without a label are found by open addressing over the address of their type, like ``CellIndex``.
@MainActor
struct SlotTable {
    /// All of them, in the order in which they were made.
    private(set) var all: [Slot] = []
    private var labelled: [RegistrationKey: Slot] = [:]
    /// Positions in ``all``, one higher; 0 where an entry is empty.
    private var positions: [UInt32] = []
    private var words: [UInt] = []
    private var shift: UInt = 64

    /// The slot of `key`; nil where there is none.
    func slot(_ key: RegistrationKey) -> Slot? {
        guard key.label == nil else { return labelled[key] }
        guard !words.isEmpty else { return nil }
        let place = place(of: key.word)
        return words[place] == 0 ? nil : all[Int(positions[place])]
    }

    /// Adds a slot whose key has none yet.
    mutating func insert(_ slot: Slot) {
        all.append(slot)
        guard slot.key.label == nil else {
            labelled[slot.key] = slot
            return
        }
        if all.count * 2 > words.count { grow() }
        put(slot.key.word, UInt32(all.count - 1))
    }

    private mutating func put(_ word: UInt, _ position: UInt32) {
        let place = place(of: word)
        words[place] = word
        positions[place] = position
    }

    /// Where `word` stands, or could be put.
    private func place(of word: UInt) -> Int {
        var place = Int(CellIndex.hash(word) &>> shift)
        while words[place] != word, words[place] != 0 { place = (place + 1) & (words.count - 1) }
        return place
    }

    private mutating func grow() {
        let count = max(16, words.count * 2)
        shift = UInt(64 - count.trailingZeroBitCount)
        words = Array(repeating: 0, count: count)
        positions = Array(repeating: 0, count: count)
        for (position, slot) in all.enumerated() where slot.key.label == nil {
            put(slot.key.word, UInt32(position))
        }
    }
}
