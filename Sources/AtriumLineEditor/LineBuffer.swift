/// The text being typed, as visible characters (grapheme clusters), with the cursor between two of them.
///
/// An entry may have several rows; Home, End and the kills to an end stay within the row of the cursor.
struct LineBuffer {
    private(set) var characters: [Character] = []
    private(set) var cursor = 0
    private(set) var utf8Count = 0
    /// The deleted text that ``Edit/yank`` inserts.
    private var killed: [Character] = []
    private var former: Edit?

    enum Edit {
        case left, right, start, end, wordLeft, wordRight
        case deleteLeft, deleteRight, killWordLeft, killWordRight, killToStart, killToEnd
        case yank, transpose, uppercase, lowercase, capitalize

        fileprivate var isKill: Bool {
            switch self {
            case .killWordLeft, .killWordRight, .killToStart, .killToEnd: true
            default: false
            }
        }
    }

    init(_ text: String = "") { insert(text) }

    var text: String { String(characters) }
    var isEmpty: Bool { characters.isEmpty }
    var isAtEnd: Bool { cursor == characters.count }
    var beforeCursor: String { String(characters[..<cursor]) }

    /// Replaces the whole text; what was killed stays.
    mutating func set(_ text: String) { replace(characters.indices, with: text) }

    mutating func insert(_ text: String) { replace(cursor..<cursor, with: text) }

    /// Replaces the text from an offset in UTF-8 to the cursor.
    mutating func replaceWord(from offset: Int, with text: String) {
        var (start, used) = (0, 0)
        while start < cursor, used < offset {
            used += characters[start].utf8.count
            start += 1
        }
        replace(start..<cursor, with: text)
    }

    mutating func moveToEnd() { cursor = characters.count }

    /// Moves to the row above or below, to the same number of characters from its start.
    ///
    /// - Returns: False if there is none.
    mutating func moveToRow(isUp: Bool) -> Bool {
        let column = cursor - rowStart(before: cursor)
        let start: Int
        if isUp {
            guard rowStart(before: cursor) > 0 else { return false }
            start = rowStart(before: rowStart(before: cursor) - 1)
        } else {
            guard rowEnd(after: cursor) < characters.count else { return false }
            start = rowEnd(after: cursor) + 1
        }
        cursor = min(start + column, rowEnd(after: start))
        former = nil
        return true
    }

    /// - Returns: False if the edit has nothing to act on.
    mutating func perform(_ edit: Edit) -> Bool {
        defer { former = edit }
        switch edit {
        case .left: return move(to: cursor - 1)
        case .right: return move(to: cursor + 1)
        case .start: cursor = rowStart(before: cursor)
        case .end: cursor = rowEnd(after: cursor)
        case .wordLeft: return move(to: wordStart)
        case .wordRight: return move(to: wordEnd)
        case .deleteLeft: return delete(cursor - 1..<cursor)
        case .deleteRight: return delete(cursor..<cursor + 1)
        case .killWordLeft: return kill(wordStart..<cursor)
        case .killWordRight: return kill(cursor..<wordEnd)
        case .killToStart: return kill(min(rowStart(before: cursor), max(cursor - 1, 0))..<cursor)
        case .killToEnd:
            return kill(cursor..<max(rowEnd(after: cursor), min(cursor + 1, characters.count)))
        case .yank:
            insert(String(killed))
            return !killed.isEmpty
        case .transpose: return transpose()
        case .uppercase: return changeWord { $0.uppercased() }
        case .lowercase: return changeWord { $0.lowercased() }
        case .capitalize:
            return changeWord { word in
                let start = word.prefix { !$0.isLetter }
                let rest = word.dropFirst(start.count)
                return start + rest.prefix(1).uppercased() + rest.dropFirst().lowercased()
            }
        }
        return true
    }

    // MARK: - Changes

    /// Replaces characters and moves the cursor after the new ones.
    ///
    /// A mark joins the character before it, and flags pair anew: clusters are found again from the character
    /// before the change to the first one after it that ends as it did.
    private mutating func replace(_ range: Range<Int>, with text: String) {
        let start = max(range.lowerBound - 1, 0)
        let head = String(characters[start..<range.lowerBound]) + text
        var (end, step) = (range.upperBound, 1)
        var clusters = Array(head)
        while end < characters.count {
            end = min(range.upperBound + step, characters.count)
            clusters = Array(head + String(characters[range.upperBound..<end]))
            let isSame = clusters.last?.unicodeScalars.elementsEqual(characters[end - 1].unicodeScalars)
            if isSame == true { break }
            step *= 2
        }
        utf8Count += Self.utf8Count(clusters[...]) - Self.utf8Count(characters[start..<end])
        characters.replaceSubrange(start..<end, with: clusters)
        cursor = start
        var remaining = head.utf8.count
        while remaining > 0 {
            remaining -= characters[cursor].utf8.count
            cursor += 1
        }
        former = nil
    }

    private static func utf8Count(_ characters: ArraySlice<Character>) -> Int {
        characters.reduce(0) { $0 + $1.utf8.count }
    }

    private mutating func move(to index: Int) -> Bool {
        guard index != cursor, (0...characters.count).contains(index) else { return false }
        cursor = index
        return true
    }

    private mutating func delete(_ range: Range<Int>) -> Bool {
        guard !range.isEmpty, range.lowerBound >= 0, range.upperBound <= characters.count else {
            return false
        }
        replace(range, with: "")
        return true
    }

    /// Deletes characters, and keeps them with those of the kills right before.
    private mutating func kill(_ range: Range<Int>) -> Bool {
        guard !range.isEmpty else { return false }
        if former?.isKill != true { killed = [] }
        killed.insert(contentsOf: characters[range], at: range.lowerBound < cursor ? 0 : killed.count)
        return delete(range)
    }

    /// Exchanges the characters around the cursor, or at the end the last two.
    private mutating func transpose() -> Bool {
        let second = isAtEnd ? cursor - 1 : cursor
        guard second > 0 else { return false }
        let swapped = String([characters[second], characters[second - 1]])
        replace(second - 1..<second + 1, with: swapped)
        return true
    }

    private mutating func changeWord(_ change: (String) -> String) -> Bool {
        let range = cursor..<wordEnd
        guard !range.isEmpty else { return false }
        replace(range, with: change(String(characters[range])))
        return true
    }

    // MARK: - Words and rows

    private static func isInWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "*?_-.[]~=".contains(character)
    }

    private var wordStart: Int {
        let word = characters[..<cursor].lastIndex(where: Self.isInWord) ?? -1
        guard word >= 0 else { return 0 }
        return characters[..<word].lastIndex { !Self.isInWord($0) }.map { $0 + 1 } ?? 0
    }

    private var wordEnd: Int {
        let word = characters[cursor...].firstIndex(where: Self.isInWord) ?? characters.count
        return characters[word...].firstIndex { !Self.isInWord($0) } ?? characters.count
    }

    private func rowStart(before index: Int) -> Int {
        characters[..<index].lastIndex(of: "\n").map { $0 + 1 } ?? 0
    }

    private func rowEnd(after index: Int) -> Int {
        characters[index...].firstIndex(of: "\n") ?? characters.count
    }
}
