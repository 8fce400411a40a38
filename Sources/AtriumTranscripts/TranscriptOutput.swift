internal import AtriumKit
internal import AtriumText

/// The output of a step.
struct PrintedOutput {
    let lines: [String]
    /// The lines with their colours.
    let shown: [String]
    /// The exit code; in a scene, only that of `exit N`.
    let status: Int32

    init() { (lines, shown, status) = ([], [], 0) }

    /// The output of a step, with colours if it `isColored`.
    init(_ text: String, status: Int32, isColored: Bool = false) {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        // Trailing empty lines are indistinguishable from those between steps.
        while lines.last == "" { lines.removeLast() }
        shown = lines
        (self.lines, self.status) = (isColored ? lines.map { StyledLine($0).plain } : lines, status)
    }
}

/// The expected output of a step.
struct ExpectedOutput {
    /// The lines as in the file.
    let source: [String]
    private let patterns: [TranscriptPattern]
    /// The lines between those of a page that are `…`; all lines otherwise.
    private let parts: [Range<Int>]
    private let status: Int32
    /// True for the output of a Markdown page: a line `…` stands for any lines, and no exit code is compared.
    private let isMarkdown: Bool

    init(_ source: [String], isMarkdown: Bool = false) {
        (self.source, self.isMarkdown) = (source, isMarkdown)
        parts = source.indices.split(omittingEmptySubsequences: false) { isMarkdown && source[$0] == "…" }
        guard !isMarkdown else {
            patterns = source.map { TranscriptPattern($0.replacing("…", with: "<*>")) }
            status = 0
            return
        }
        var lines = source
        var status: Int32 = 0
        if case .status(let number)? = lines.last.flatMap({ TranscriptMark($0) }) {
            status = number
            lines.removeLast()
        }
        self.status = status
        patterns = lines.map { TranscriptPattern(TranscriptMark.unescaped($0)) }
    }

    var isEmpty: Bool { source.isEmpty }

    func fits(_ printed: PrintedOutput, now: Timestamp) -> Bool {
        guard !isMarkdown else {
            return starts(of: printed.lines, now: now).map {
                zip(parts, $0).allSatisfy { fitting($0, printed.lines, $1, now) == $0.count }
            } ?? false
        }
        return printed.status == status && printed.lines.count == patterns.count
            && begins(with: printed, now: now)
    }

    /// True if the output so far matches the beginning.
    func begins(with printed: PrintedOutput, now: Timestamp) -> Bool {
        // With `…` everything would, and a difference would be reported late.
        guard !isMarkdown else { return fits(printed, now: now) }
        return printed.lines.count <= patterns.count
            && zip(patterns, printed.lines).allSatisfy { $0.fits($1, now: now) }
    }

    /// The number of lines that fit a part, which begins at an index.
    private func fitting(_ part: Range<Int>, _ lines: [String], _ start: Int, _ now: Timestamp) -> Int {
        zip(part, lines[start...]).count { patterns[$0].fits($1, now: now) }
    }

    /// The positions in the output at which the parts of a page begin: each where most of it fits, the last one at
    /// the end; nil if they don't fit.
    private func starts(of lines: [String], now: Timestamp) -> [Int]? {
        var (left, first) = (parts.reduce(0) { $0 + $1.count }, 0)
        guard parts.count > 1 ? lines.count >= left : lines.count == left else { return nil }
        return parts.indices.map { number in
            // Every part has a fixed length, so the first position for each is as good as any other.
            let last = number == 0 ? 0 : lines.count - left
            let possible = (number == parts.count - 1 ? last : first)...last
            let start = possible.max {
                fitting(parts[number], lines, $0, now) < fitting(parts[number], lines, $1, now)
            }
            left -= parts[number].count
            first = (start ?? last) + parts[number].count
            return start ?? last
        }
    }

    /// The lines for a Markdown page: each `…` keeps its place between as many lines as before.
    private func updatedPage(_ lines: [String], now: Timestamp) -> [String] {
        guard parts.count > 1, let starts = starts(of: lines, now: now) else {
            let kept = placeholders(for: lines, now: now)
            return lines.enumerated().map { kept[$0] ?? $1 }
        }
        let shown = zip(parts, starts).map { part, start in
            zip(part, lines[start...]).map { patterns[$0].fits($1, now: now) ? source[$0] : $1 }
        }
        return Array(shown.joined(separator: ["…"]))
    }

    /// The lines for the file after a run: unchanged if they match, else the actual output, keeping the
    /// placeholders of lines that still match, and adding placeholders for times of the run.
    func updated(by printed: PrintedOutput, since start: Timestamp, now: Timestamp) -> [String] {
        if fits(printed, now: now) { return source }
        if isMarkdown { return updatedPage(printed.lines, now: now) }
        let kept = placeholders(for: printed.lines, now: now)
        var lines = printed.lines.enumerated().map { index, line in
            kept[index]
                ?? TranscriptMark.escaped(
                    PrintedMoment.marking(line, since: start, now: now), isFirst: index == 0,
                    isLast: index == printed.lines.count - 1 && printed.status == 0)
        }
        if printed.status != 0 { lines.append("[\(printed.status)]") }
        return lines
    }

    /// The expected lines with placeholders, by the index of the printed line that each one fits.
    ///
    /// In order, and each for one line: `<*>` alone would fit them all, and hide what was printed.
    private func placeholders(for lines: [String], now: Timestamp) -> [Int: String] {
        enum Side { case expected(TranscriptPattern), printed(String) }
        let changes = lines.map(Side.printed).difference(from: patterns.map(Side.expected)) { left, right in
            switch (left, right) {
            case (.expected(let pattern), .printed(let line)), (.printed(let line), .expected(let pattern)):
                pattern.fits(line, now: now)
            default: false
            }
        }
        let (added, removed) = (Set(changes.insertions.map(\.index)), Set(changes.removals.map(\.index)))
        let pairs = zip(
            lines.indices.filter { !added.contains($0) }, patterns.indices.filter { !removed.contains($0) })
        // A line that is expected as it is does not vanish behind a placeholder.
        let literal = Set(removed.map { source[$0] })
        return Dictionary(
            uniqueKeysWithValues: pairs.filter {
                patterns[$1].hasPlaceholders && !literal.contains(lines[$0])
            }
            .map { ($0, source[$1]) })
    }
}

/// A transcript with the actual output of its lines.
struct PlayedTranscript {
    let transcript: Transcript
    /// The steps that were run; none is run after one that takes too long.
    let steps: [Step]
    let duration: Duration
    /// The reason that the file has not been updated, a sentence; nil if there is none.
    var problem: String?

    struct Step {
        let step: Transcript.Step
        /// The output as it would be in the file.
        let output: [String]
        /// The output as it was shown.
        var shown: [String] = []
        /// Any other problem.
        let problem: String?
        /// True if no further step can be run.
        var isLast = false

        var hasPassed: Bool { output == step.expected && problem == nil }
    }

    var hasPassed: Bool { steps.count == transcript.steps.count && steps.allSatisfy(\.hasPassed) }

    var failures: [Step] { steps.filter { !$0.hasPassed } }

    /// The text of the file with the output of this run.
    var text: String { transcript.text(with: outputs) }

    /// The output of each step as it would be in the file.
    var outputs: [[String]] {
        // Leave a step with a problem for the author to fix.
        steps.map { $0.problem == nil ? $0.output : $0.step.expected }
            + transcript.steps.dropFirst(steps.count).map(\.expected)
    }
}
