/// Splits terminal input into keys.
///
/// Returns a key only once it is complete, so that no caller waits for the rest: a lone Escape, which may
/// begin a sequence, is kept until the next byte. Bytes that are not UTF-8 are dropped.
package struct InputDecoder {
    enum Event: Equatable {
        case key([UInt8])
        /// A character of pasted text: never a command.
        case pasted([UInt8])

        var bytes: [UInt8] {
            switch self {
            case .key(let bytes), .pasted(let bytes): bytes
            }
        }
    }

    private static let escape: UInt8 = 0x1b
    private static let interrupt: UInt8 = 0x03
    private static let pasteStart = Array("\u{1b}[200~".utf8)
    private static let pasteEnd = Array("\u{1b}[201~".utf8)
    private static let longestSequence = 32

    private var bytes: ArraySlice<UInt8> = []
    private var isPasting = false

    mutating func append(_ more: some Sequence<UInt8>) {
        bytes = bytes.isEmpty ? ArraySlice(more) : bytes + more
    }

    mutating func removeAll() {
        bytes = []
        isPasting = false
    }

    mutating func next() -> Event? {
        while !bytes.isEmpty {
            guard let count = Self.length(bytes) else { return nil }
            let key = Array(bytes.prefix(count))
            bytes.removeFirst(max(count, 1))
            if count > 0, let event = event(key) { return event }
        }
        return nil
    }

    private mutating func event(_ key: [UInt8]) -> Event? {
        if key == Self.pasteStart || key == Self.pasteEnd {
            isPasting = key == Self.pasteStart
            return nil
        }
        guard isPasting else { return .key(key) }
        let isText = key[0] >= 0x20 && key[0] != 0x7f
        return isText || [0x09, 0x0a, 0x0d].contains(key[0]) ? .pasted(key) : nil
    }

    /// The length of the first key; nil if it is incomplete, 0 if its first byte is to be dropped.
    private static func length(_ bytes: ArraySlice<UInt8>) -> Int? {
        let rest = bytes.dropFirst()
        switch bytes[bytes.startIndex] {
        case escape: return escapeLength(bytes)
        case 0x18, 0x16:
            // Ctrl-X or Ctrl-V with the character after it.
            guard let next = rest.first else { return nil }
            return next == interrupt ? 0 : adding(1, to: next < 0x80 ? 1 : characterLength(rest))
        case ..<0x80: return 1
        default: return characterLength(bytes)
        }
    }

    /// `ESC [ … final`, `ESC O x`, or Escape with another key, for Alt; Ctrl-C ends any of them.
    private static func escapeLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        let rest = bytes.dropFirst()
        guard let next = rest.first else { return nil }
        switch next {
        case interrupt: return 0
        case UInt8(ascii: "["):
            // The Linux console sends ESC [ [ A for F1.
            if rest.dropFirst().first == next { return rest.count > 2 ? 4 : nil }
            // Limited to the length at which a sequence that arrives byte by byte is abandoned.
            let sequence = rest.prefix(longestSequence).dropFirst()
            guard let final = sequence.firstIndex(where: { !(0x20...0x3f).contains($0) }) else {
                return rest.count < longestSequence ? nil : 0
            }
            return (0x40...0x7e).contains(bytes[final]) ? final - bytes.startIndex + 1 : 0
        case UInt8(ascii: "O"):
            guard let final = rest.dropFirst().first else { return nil }
            return (0x40...0x7e).contains(final) ? 3 : 0
        default: return adding(1, to: length(rest))
        }
    }

    private static func characterLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count =
            switch bytes[bytes.startIndex] {
            case 0xc2...0xdf: 2
            case 0xe0...0xef: 3
            case 0xf0...0xf4: 4
            default: 0
            }
        guard count > 0 else { return 0 }
        let rest = bytes.dropFirst().prefix(count - 1)
        guard rest.allSatisfy({ (0x80...0xbf).contains($0) }) else { return 0 }
        guard rest.count == count - 1 else { return nil }
        return String(validating: bytes.prefix(count), as: UTF8.self) == nil ? 0 : count
    }

    private static func adding(_ extra: Int, to length: Int?) -> Int? {
        length.map { $0 > 0 ? $0 + extra : 0 }
    }
}
