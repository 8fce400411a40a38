internal import AtriumText

/// The differences between a transcript's expected and printed output, as `diff -u` writes them.
struct TranscriptDiff {
    private let file: String
    /// The lines of each step whose output differs.
    private let hunks: [[String]]

    /// The number of lines shown around each difference.
    private static let context = 3

    init(_ played: PlayedTranscript) {
        file = played.transcript.file
        var shift = 0
        hunks = played.steps.compactMap { played in
            let step = played.step
            defer { shift += played.output.count - step.expected.count }
            guard played.output != step.expected else { return nil }
            return Self.hunk(of: played, shift: shift)
        }
    }

    private static func hunk(of played: PlayedTranscript.Step, shift: Int) -> [String] {
        let step = played.step
        let changes = played.output.difference(from: step.expected)
        let removed = Set(changes.removals.map(\.index))
        let inserted = Set(changes.insertions.map(\.index))
        var lines: [(mark: Character, text: String)] = step.typed.map { (" ", $0) }
        var (old, new) = (0, 0)
        while old < step.expected.count || new < played.output.count {
            if removed.contains(old) {
                lines.append(("-", step.expected[old]))
                old += 1
            } else if inserted.contains(new) {
                lines.append(("+", played.output[new]))
                new += 1
            } else {
                lines.append((" ", step.expected[old]))
                (old, new) = (old + 1, new + 1)
            }
        }
        return unified(lines, start: step.number, shift: shift)
    }

    /// The parts with changes, each after a header with its line numbers.
    private static func unified(_ lines: [(mark: Character, text: String)], start: Int, shift: Int)
        -> [String]
    {
        let changed = lines.indices.filter { lines[$0].mark != " " }
        var text: [String] = []
        var ranges: [Range<Int>] = []
        for index in changed {
            let around = max(0, index - context)..<min(lines.count, index + context + 1)
            if let last = ranges.last, last.upperBound >= around.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound..<around.upperBound
            } else {
                ranges.append(around)
            }
        }
        for range in ranges {
            let before = lines[..<range.lowerBound]
            let (old, new) = (before.count { $0.mark != "+" }, before.count { $0.mark != "-" })
            let (olds, news) = (lines[range].count { $0.mark != "+" }, lines[range].count { $0.mark != "-" })
            text.append("@@ -\(start + old),\(olds) +\(start + shift + new),\(news) @@")
            text += lines[range].map { "\($0.mark)\($0.text)" }
        }
        return text
    }

    /// The diff as printed; `patch` understands it.
    func text(_ style: TextStyle = TextStyle(isColored: false)) -> String {
        guard !hunks.isEmpty else { return "" }
        var lines = [style.bold("--- \(file)\texpected"), style.bold("+++ \(file)\tprinted")]
        for hunk in hunks {
            lines += hunk.map { line in
                let line = style.isColored ? line.printable : line
                return switch line.first {
                case "-": style.red(line)
                case "+": style.green(line)
                case "@": style.faint(line)
                default: line
                }
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}

extension CollectionDifference.Change {
    var index: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
