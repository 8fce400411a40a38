/// The candidates for the word at the cursor.
package struct CompletionList: Equatable {
    /// The start of the completed word, as an offset into the line's UTF-8; it ends at the cursor.
    package var start: Int
    package var candidates: [CompletionCandidate]

    package init(start: Int, candidates: [CompletionCandidate]) {
        (self.start, self.candidates) = (start, candidates)
    }

    /// The text that a Tab inserts if there are several candidates.
    package var commonPrefix: String {
        guard let first = candidates.first?.text else { return "" }
        return candidates.dropFirst().reduce(first) { prefix, candidate in
            String(zip(prefix, candidate.text).prefix { $0 == $1 }.map(\.0))
        }
    }
}

/// Lays candidates out as lines for a terminal: one per line with its summary, else in columns.
package struct CandidateTable {
    let candidates: [CompletionCandidate]
    let size: TerminalSize

    package init(candidates: [CompletionCandidate], size: TerminalSize) {
        (self.candidates, self.size) = (candidates, size)
    }

    private static let gap = 2
    private static let shortestSummary = 12

    package var lines: [String] {
        let all = candidates.contains { $0.summary != nil } ? describedLines : columnLines
        let space = max(size.rows - 2, 1)
        guard all.lines.count > space else { return all.lines }
        let kept = Array(all.lines.prefix(space - 1))
        return kept + ["… and \(candidates.count - kept.count * all.perLine) more"]
    }

    private var describedLines: (lines: [String], perLine: Int) {
        let width = candidates.map { TextWidth.of($0.text) }.max() ?? 0
        let room = size.columns - 1 - width - Self.gap
        let lines = candidates.map { candidate in
            guard let summary = candidate.summary, room >= Self.shortestSummary else {
                return TextWidth.truncated(candidate.text, to: size.columns - 1)
            }
            return TextWidth.padded(candidate.text, to: width + Self.gap)
                + TextWidth.truncated(summary, to: room)
        }
        return (lines, 1)
    }

    private var columnLines: (lines: [String], perLine: Int) {
        let texts = candidates.map { TextWidth.truncated($0.text, to: size.columns - 1) }
        let width = (texts.map { TextWidth.of($0) }.max() ?? 0) + Self.gap
        let columns = max((size.columns - 1 + Self.gap) / width, 1)
        let rows = (texts.count + columns - 1) / columns
        let lines = (0..<rows).map { row in
            let inRow = stride(from: row, to: texts.count, by: rows).map { texts[$0] }
            return inRow.dropLast().map { TextWidth.padded($0, to: width) }.joined() + (inRow.last ?? "")
        }
        return (lines, columns)
    }
}
