/// A prompt as libedit wants it: what has no width stands between two `\1`.
///
/// libedit draws such a sequence together with the character after it, and drops one at the very end; there
/// it is moved before the last character, which a prompt usually has as a space.
struct EncodedPrompt: Equatable {
    /// The prompt with its escape sequences marked.
    let encoded: String
    /// The prompt without its escape sequences, for counting cells.
    let visible: String
    /// The prompt as it was given.
    let source: String

    init(_ source: String) {
        self.source = source
        var pieces = Self.pieces(of: source)
        if case .sequence(let last)? = pieces.last {
            pieces.removeLast()
            pieces.insert(.sequence(last), at: max(pieces.count - 1, 0))
            if pieces.count < 2 { pieces.append(.character(" ")) }
        }
        encoded = Self.merged(pieces)
        visible = String(String.UnicodeScalarView(pieces.compactMap(\.character)))
    }

    private enum Piece {
        case character(Unicode.Scalar)
        case sequence(String)

        var character: Unicode.Scalar? {
            if case .character(let scalar) = self { scalar } else { nil }
        }
    }

    /// Adjacent sequences become one: of two in a row libedit would draw the first without a character.
    private static func merged(_ pieces: [Piece]) -> String {
        var text = ""
        var sequence = ""
        for piece in pieces {
            switch piece {
            case .sequence(let more):
                sequence += more
            case .character(let scalar):
                if !sequence.isEmpty { text += "\u{1}\(sequence)\u{1}" }
                sequence = ""
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Splits off the sequences `ESC [ … letter`; other control characters have no place in a prompt.
    private static func pieces(of source: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = source.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{1b}", rest.first == "[" {
                let end = rest.dropFirst().firstIndex { ("@"..."~").contains($0) } ?? rest.endIndex
                let sequence = rest[..<end] + rest[end...].prefix(1)
                rest = rest[end...].dropFirst()
                pieces.append(.sequence("\u{1b}" + String(Substring(sequence))))
            } else if scalar.value >= 0x20, scalar.value != 0x7f {
                pieces.append(.character(scalar))
            }
        }
        return pieces
    }
}
