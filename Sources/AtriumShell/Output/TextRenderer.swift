internal import AtriumKit

/// Lays content out as text of a given width.
struct TextRenderer {
    let width: Int
    let style: TextStyle

    /// The content in lines, each ended.
    func render(_ content: Content) -> String {
        var text = ""
        for line in lines(of: content) { text += line + "\n" }
        return text
    }

    private func lines(of content: Content) -> [String] {
        var lines: [String] = []
        // A table without rows says nothing that a message beside it does not say better.
        let hasNotice = content.blocks.contains { if case .notice = $0 { true } else { false } }
        var blocks = content.blocks.filter { block in
            if case .verbatim(let verbatim) = block { return !verbatim.lines.isEmpty }
            guard case .table(let table) = block else { return true }
            return !(hasNotice && table.rows.isEmpty) && table.headings.contains { !$0.isHidden }
        }[...]
        var previous: Content.Block?
        while let block = blocks.first {
            if let previous, needsGap(between: previous, and: block) { lines.append("") }
            if case .field = block {
                let fields = blocks.prefix { if case .field = $0 { true } else { false } }
                lines += self.lines(
                    of: fields.compactMap { if case .field(let field) = $0 { field } else { nil } })
                blocks = blocks.dropFirst(fields.count)
            } else {
                lines += self.lines(of: block)
                blocks = blocks.dropFirst()
            }
            previous = block
        }
        return lines
    }

    private func needsGap(between previous: Content.Block, and next: Content.Block) -> Bool {
        switch (previous, next) {
        case (.notice, .notice), (.title, .text), (.title, .field): false
        default: true
        }
    }

    private func lines(of block: Content.Block) -> [String] {
        switch block {
        case .title(let text): TextWidth.wrapped(text.printable, to: width).map(style.bold)
        case .text(let text): TextWidth.wrapped(text.printable, to: width)
        case .field(let field): lines(of: [field])
        case .table(let table): lines(of: table)
        case .notice(let notice): lines(of: notice)
        case .group(_, let content): lines(of: content)
        case .verbatim(let verbatim): verbatim.lines.map(\.printableLine)
        }
    }

    private func lines(of fields: [Field]) -> [String] {
        let labels = fields.map(\.label.printableLine)
        let labelWidth = min(labels.map(TextWidth.of).max() ?? 0, max(8, width / 3))
        let valueWidth = max(1, width - labelWidth - 2)
        return zip(fields, labels).flatMap { field, label in
            let text = field.text.isEmpty ? "-" : field.text.printable
            let label = TextWidth.padded(TextWidth.truncated(label, to: labelWidth), to: labelWidth)
            let values = TextWidth.wrapped(text, to: valueWidth)
            return values.enumerated().map { index, value in
                let first = index == 0 ? style.faint(label) : String(repeating: " ", count: labelWidth)
                return first + "  " + value
            }
        }
    }

    private func lines(of notice: Notice) -> [String] {
        let word: (text: String, paint: (String) -> String) =
            switch notice.kind {
            case .information: ("Note:", style.faint)
            case .success: ("Done:", style.green)
            case .warning: ("Warning:", style.yellow)
            case .problem: ("Problem:", style.red)
            }
        var lines = TextWidth.wrapped(word.text + " " + notice.text.printable, to: width)
        lines[0] = word.paint(word.text) + lines[0].dropFirst(word.text.count)
        if let hint = notice.hint { lines += TextWidth.wrapped("Try: " + hint.printable, to: width) }
        return lines
    }

    // MARK: - Tables

    private func lines(of table: TableContent) -> [String] {
        let shown = table.headings.indices.filter { !table.headings[$0].isHidden }
        let cells = table.rows.map { row in shown.map { row[$0].text.printableLine } }
        let headings = shown.map { table.headings[$0] }
        let labels = headings.map(\.label.printableLine)
        let widths = columnWidths(labels, cells)
        let head = zip(zip(labels, headings), widths).map { label, width in
            TextWidth.padded(
                TextWidth.truncated(label.0, to: width), to: width, alignedRight: label.1.isNumeric)
        }
        let body = cells.map { row in
            zip(zip(row, headings), widths).map { cell, width in
                TextWidth.padded(
                    TextWidth.truncated(cell.0, to: width), to: width, alignedRight: cell.1.isNumeric)
            }
        }
        return [style.bold(join(head))] + body.map(join)
    }

    private func join(_ cells: [String]) -> String {
        var line = cells.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }

    /// The natural widths, where they fit; else the widest columns give up columns first.
    private func columnWidths(_ headings: [String], _ rows: [[String]]) -> [Int] {
        var widths = headings.map(TextWidth.of)
        for row in rows {
            for (index, cell) in row.enumerated() { widths[index] = max(widths[index], TextWidth.of(cell)) }
        }
        let available = max(headings.count, width - 2 * max(0, headings.count - 1))
        while widths.reduce(0, +) > available, let widest = widths.max(), widest > 1 {
            let second = widths.filter { $0 < widest }.max() ?? 1
            let columns = widths.indices.filter { widths[$0] == widest }
            let excess = widths.reduce(0, +) - available
            let cut = min(widest - max(second, 1), (excess + columns.count - 1) / columns.count)
            for index in columns { widths[index] -= max(1, cut) }
        }
        return widths
    }
}
