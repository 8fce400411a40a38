internal import AtriumText

/// A recording as an animated SVG without scripts: it plays once and stays as a picture of the last screen.
///
/// Where nothing moves, as in print or for readers who asked for that, it is this picture from the start. Lines
/// that pass by in one moment are left out, so its size is bounded by the time.
struct PlayPicture {
    private static let (cell, line, margin, fontSize) = (8.4, 19.0, 16.0, 14.0)

    /// A row of the screen.
    private struct Row {
        let line: StyledLine
        let time: Duration
        /// The columns of the typed text, and its time; nil if nothing is typed.
        var typing: (column: Int, count: Int, start: Duration, end: Duration)?
    }

    private let recording: PlayRecording
    private let rows: [Row]
    /// The number of rows that are seen at once.
    private let height: Int

    init(_ recording: PlayRecording) {
        self.recording = recording
        rows = recording.lines.flatMap { Self.rows(of: $0, width: recording.size.columns) }
        height = max(1, min(recording.size.rows, rows.count))
    }

    /// The rows of a line, which the terminal wraps.
    private static func rows(of line: PlayRecording.Line, width: Int) -> [Row] {
        let prompt = StyledLine(line.text)
        guard !line.keys.isEmpty else {
            return prompt.rows(width: width).map { Row(line: $0, time: line.time) }
        }
        let whole = StyledLine(line.text + PlayRecording.bold + line.typed + PlayRecording.plain)
        var keys = line.keys[...]
        var untyped = TextWidth.of(prompt.plain)
        return whole.rows(width: width).map { part in
            let columns = TextWidth.of(part.plain)
            let start = min(untyped, columns)
            untyped -= start
            let first = keys.first?.time ?? line.end
            var left = columns - start
            while left > 0, let key = keys.popFirst() { left -= max(1, TextWidth.of(key.character)) }
            let row = Row(line: part, time: start > 0 ? line.time : first)
            guard columns > start else { return row }
            var typed = row
            typed.typing = (start, columns - start, first, keys.first?.time ?? line.end)
            return typed
        }
    }

    var svg: String {
        let width = Double(recording.size.columns) * Self.cell
        let inner = Double(height) * Self.line
        let (outerWidth, outerHeight) = (
            Self.text(width + 2 * Self.margin), Self.text(inner + 2 * Self.margin)
        )
        let last = max(0, rows.count - height)
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(outerWidth) \(outerHeight)\" "
                + "width=\"\(outerWidth)\" height=\"\(outerHeight)\" xml:space=\"preserve\">",
            "<title>\(recording.title.xmlEscaped)</title>", "<style>\n\(style)</style>",
            "<rect class=\"page\" x=\"0.5\" y=\"0.5\" width=\"\(Self.text(width + 2 * Self.margin - 1))\" "
                + "height=\"\(Self.text(inner + 2 * Self.margin - 1))\" rx=\"8\"/>",
            "<svg x=\"\(Self.text(Self.margin))\" y=\"\(Self.text(Self.margin))\" width=\"\(Self.text(width))\" "
                + "height=\"\(Self.text(inner))\">",
            "<g class=\"s\" transform=\"translate(0 \(Self.text(-Double(last) * Self.line)))\">",
        ]
        parts += groups(from: last)
        return (parts + ["</g>", "</svg>", "</svg>"]).joined(separator: "\n") + "\n"
    }

    // MARK: - Time

    /// The number of rows that have scrolled away at each time.
    private var scrolls: [(time: Duration, rows: Int)] {
        var scrolls: [(time: Duration, rows: Int)] = []
        for (index, row) in rows.enumerated() where index >= height {
            let away = index + 1 - height
            if scrolls.last?.time == row.time {
                scrolls[scrolls.count - 1].rows = away
            } else {
                scrolls.append((row.time, away))
            }
        }
        return scrolls
    }

    /// The rows that stay for a time, and so are seen.
    private func isSeen(_ index: Int, _ scrolls: [(time: Duration, rows: Int)]) -> Bool {
        guard let present = scrolls.last(where: { $0.time <= rows[index].time }) else { return true }
        return index >= present.rows
    }

    private var style: String {
        let scrolls = scrolls
        let whole = recording.time / .seconds(1)
        let frames = [(Duration.zero, 0)] + scrolls.map { ($0.time, $0.rows) }
        let keys = frames.map { time, rows in
            let share = whole > 0 ? time / .seconds(1) / whole * 100 : 0
            return
                "\(Self.text(share, digits: 1_000))%{transform:translateY(\(Self.text(-Double(rows) * Self.line))px)}"
        }
        let last = Self.text(-Double(frames.last?.1 ?? 0) * Self.line)
        return """
            .page { fill: #ffffff; stroke: #d0d7de } .k { fill: #ffffff }
            text { font: 14px \(MarkupStyle.font); fill: #1f2328; white-space: pre }
            @media (prefers-color-scheme: dark) {
              .page { fill: #0d1117; stroke: #30363d } .k { fill: #0d1117 } text { fill: #e6edf3 }
            }
            \(MarkupStyle.css(isPicture: true))
            .k { transform-box: fill-box; transform-origin: 100% 0 }
            .s { animation: s \(Self.text(whole, digits: 1_000))s step-end both }
            @keyframes s{\(keys.joined())100%{transform:translateY(\(last)px)}}
            @keyframes a{from{opacity:0}}
            @keyframes k{from{opacity:1;transform:none}to{opacity:1;transform:scaleX(0)}}
            @media (prefers-reduced-motion: reduce) { * { animation: none !important } }

            """
    }

    // MARK: - Rows

    /// The elements of the rows, those of one moment in a group.
    private func groups(from last: Int) -> [String] {
        let scrolls = scrolls
        var (elements, time) = ([String](), Duration?.none)
        for (index, row) in rows.enumerated() where isSeen(index, scrolls) {
            let texts = texts(of: row, at: index)
            guard !texts.isEmpty else { continue }
            if row.time != time {
                if time != nil { elements.append("</g>") }
                elements.append(
                    row.time == .zero
                        ? "<g>" : "<g style=\"animation:a 1ms \(Self.seconds(row.time)) backwards\">")
                time = row.time
            }
            elements += texts
        }
        return elements + (time == nil ? [] : ["</g>"])
    }

    private func texts(of row: Row, at index: Int) -> [String] {
        let y = Double(index) * Self.line
        var (texts, column) = ([String](), 0)
        for run in row.line.runs {
            let text = run.text.drop { $0 == " " }
            let start = column + run.text.count - text.count
            column += TextWidth.of(run.text)
            guard let end = text.lastIndex(where: { $0 != " " }) else { continue }
            let shown = String(text[...end])
            let length = Self.text(Double(TextWidth.of(shown)) * Self.cell)
            let classes = run.classes.isEmpty ? "" : " class=\"\(run.classes)\""
            // With its length, so that columns stand below each other in every font.
            texts.append(
                "<text x=\"\(Self.text(Double(start) * Self.cell))\" y=\"\(Self.text(y + Self.fontSize))\" "
                    + "textLength=\"\(length)\"\(classes)>\(shown.xmlEscaped)</text>")
        }
        if let typing = row.typing {
            // A cover that shrinks from the left, a column a step.
            let time = Self.seconds(max(.milliseconds(1), typing.end - typing.start))
            texts.append(
                "<rect class=\"k\" x=\"\(Self.text(Double(typing.column) * Self.cell))\" y=\"\(Self.text(y))\" "
                    + "width=\"\(Self.text(Double(typing.count) * Self.cell))\" height=\"\(Self.text(Self.line))\" "
                    + "opacity=\"0\" style=\"animation:k \(time) steps(\(typing.count)) "
                    + "\(Self.seconds(typing.start)) both\"/>")
        }
        return texts
    }

    /// A number with as many decimals as `digits` has zeros, and no needless ones.
    private static func text(_ number: Double, digits: Double = 10) -> String {
        let rounded = (number * digits).rounded() / digits
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    private static func seconds(_ time: Duration) -> String { text(time / .seconds(1), digits: 1_000) + "s" }
}
