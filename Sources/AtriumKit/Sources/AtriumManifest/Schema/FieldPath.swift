/// The way from the root of a document to a value.
struct FieldPath {
    /// One step down.
    enum Step {
        case key(String)
        case index(Int)
    }

    private var steps: [Step] = []

    /// Makes a path from its steps.
    init(_ steps: Step...) {
        self.steps = steps
    }

    mutating func append(_ step: Step) {
        steps.append(step)
    }

    mutating func removeLast() {
        steps.removeLast()
    }
}

extension FieldPath: CustomStringConvertible {
    /// `modules[1].name`; a key that could be mistaken for a path is quoted: `screens["entities/:id"]`.
    var description: String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key) where Self.isPlain(key): text += (text.isEmpty ? "" : ".") + key
            case .key(let key): text += "[\"\(Wording.clipped(key))\"]"
            }
        }
    }

    private static func isPlain(_ key: String) -> Bool {
        let isWord = key.unicodeScalars.allSatisfy {
            ScalarSet.wordCharacters.contains($0.value) || $0 == "-" || $0 == "$"
        }
        return isWord && !key.isEmpty && key.utf8.count <= Wording.longestExcerpt
    }
}
