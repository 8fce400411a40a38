/// Numbers keys in the order in which they are first seen.
///
/// Keys without a label are found by open addressing over the address of their type, like ``CellIndex``.
struct KeyIndex {
    private(set) var count = 0
    private var labelled: [RegistrationKey: Int] = [:]
    private var words: [UInt] = []
    private var numbers: [UInt32] = []
    private var shift: UInt = 64

    /// The number of `key`; nil where it was not seen.
    func number(of key: RegistrationKey) -> Int? {
        guard key.label == nil else { return labelled[key] }
        guard !words.isEmpty else { return nil }
        let place = place(of: key.word)
        return words[place] == 0 ? nil : Int(numbers[place])
    }

    /// The number of `key`, which is the next one where it was not seen.
    mutating func numberInserting(_ key: RegistrationKey) -> (number: Int, isNew: Bool) {
        guard key.label == nil else {
            if let number = labelled[key] { return (number, false) }
            labelled[key] = count
            count += 1
            return (count - 1, true)
        }
        if (count + 1) * 2 > words.count { grow() }
        let place = place(of: key.word)
        if words[place] != 0 { return (Int(numbers[place]), false) }
        words[place] = key.word
        numbers[place] = UInt32(count)
        count += 1
        return (count - 1, true)
    }

    /// Where `word` stands, or could be put.
    private func place(of word: UInt) -> Int {
        var place = Int(CellIndex.hash(word) &>> shift)
        while words[place] != word, words[place] != 0 { place = (place &+ 1) & (words.count &- 1) }
        return place
    }

    private mutating func grow() {
        let (oldWords, oldNumbers) = (words, numbers)
        let size = max(16, words.count * 2)
        shift = UInt(64 - size.trailingZeroBitCount)
        words = Array(repeating: 0, count: size)
        numbers = Array(repeating: 0, count: size)
        for index in oldWords.indices where oldWords[index] != 0 {
            let place = place(of: oldWords[index])
            words[place] = oldWords[index]
            numbers[place] = oldNumbers[index]
        }
    }
}
