package import AtriumKit

/// Renders content as text of a given width; leaves nothing out.
package struct TextRenderer {
    let width: Int
    let style: TextStyle
    /// Whether verbatim lines are cut to the width; not for programs.
    var cutsVerbatim = true

    private static let leastIndentedWidth = 20
    static let indent = 2

    package func render(_ content: Content) -> String {
        var text = ""
        for line in lines(of: content.blocks) {
            text += line
            text += "\n"
        }
        return text
    }

    private func lines(of all: [Content.Block]) -> [String] {
        var lines: [String] = []
        var blocks = shown(all)[...]
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

    /// The content for a small terminal, in few lines: a table has a line a row and no headings, and fields that
    /// follow each other share a line.
    func shortLines(of content: Content) -> [String] {
        var lines: [String] = []
        var blocks = shown(content.blocks)[...]
        while let block = blocks.popFirst() {
            switch block {
            case .title, .text: lines += self.lines(of: block).prefix(1)
            case .table(let table):
                let columns = table.headings.indices.filter { !table.headings[$0].isHidden }
                lines += table.rows.map { row in
                    line(columns.map { row[$0].text.printableLine }.filter { !$0.isEmpty }, by: "  ")
                }
            case .field(let first):
                var fields = [first]
                while case .field(let next)? = blocks.first {
                    fields.append(next)
                    blocks = blocks.dropFirst()
                }
                lines.append(
                    line(
                        fields.map { "\($0.label) \(Self.value($0.text.printable))".printableLine }, by: ", ")
                )
            case .group(_, let content): lines += shortLines(of: content)
            default: lines += self.lines(of: block)
            }
        }
        return lines
    }

    private func line(_ parts: [String], by separator: String) -> String {
        TextWidth.truncated(parts.joined(separator: separator), to: width)
    }

    private func shown(_ blocks: [Content.Block]) -> [Content.Block] {
        // Beside a notice an empty table says nothing.
        let hasNotice = blocks.contains { if case .notice = $0 { true } else { false } }
        return blocks.filter { block in
            switch block {
            case .verbatim(let verbatim): !verbatim.lines.isEmpty
            case .table(let table):
                !(hasNotice && table.rows.isEmpty) && table.headings.contains { !$0.isHidden }
            case .group(_, let content): !shown(content.blocks).isEmpty
            default: true
            }
        }
    }

    private func needsGap(between previous: Content.Block, and next: Content.Block) -> Bool {
        switch (previous, next) {
        case (.notice, .notice), (.progress, .progress), (.title, .text), (.title, .field),
            (.title, .progress):
            false
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
        case .group(_, let content): lines(ofGroup: content)
        case .verbatim(let verbatim): lines(of: verbatim)
        case .progress(let progress): lines(of: progress)
        @unknown default: []
        }
    }

    /// A part of a screen, below its heading and indented if there is room.
    private func lines(ofGroup content: Content) -> [String] {
        guard case .title? = content.blocks.first, width >= Self.leastIndentedWidth + Self.indent else {
            return lines(of: content.blocks)
        }
        let inner = TextRenderer(width: width - Self.indent, style: style, cutsVerbatim: cutsVerbatim)
        let margin = String(repeating: " ", count: Self.indent)
        let heading = lines(of: content.blocks[0])
        // With the heading, so that the gap below it is right.
        let all = inner.lines(of: content.blocks)
        let headingInside = inner.lines(of: content.blocks[0])
        return heading + all.dropFirst(headingInside.count).map { $0.isEmpty ? $0 : margin + $0 }
    }

    private func lines(of verbatim: Verbatim) -> [String] {
        let lines = verbatim.lines.map(\.printableLine)
        return cutsVerbatim ? lines.flatMap { TextWrapper.cut($0, to: width) } : lines
    }

    func lines(of fields: [Field]) -> [String] {
        let labels = fields.map(\.label.printableLine)
        let values = fields.map { Self.value($0.text.printable) }
        let layout = FieldLayout(labels: labels, values: values, width: width)
        return zip(labels, values).flatMap { layout.lines($0, $1, paint: style.faint) }
    }

    static func value(_ text: String) -> String { text.isEmpty ? "-" : text }

    func lines(of notice: Notice) -> [String] {
        let word: (text: String, paint: (String) -> String) =
            switch notice.kind {
            case .information: ("Note:", style.faint)
            case .success: ("Done:", style.green)
            case .warning: ("Warning:", style.yellow)
            case .problem: ("Problem:", style.red)
            }
        var lines = lines(word.text, notice.text, paint: word.paint)
        if let hint = notice.hint { lines += self.lines("Try:", hint, keepsQuotations: true) { $0 } }
        return lines
    }

    func lines(
        _ word: String, _ text: String, keepsQuotations: Bool = false, paint: (String) -> String
    ) -> [String] {
        let wrapper = TextWrapper(width: width, indent: Self.indent, keepsQuotations: keepsQuotations)
        var lines = wrapper.lines(of: word + " " + text.printable)
        if lines[0].hasPrefix(word) { lines[0] = paint(word) + lines[0].dropFirst(word.count) }
        return lines
    }

    private static let barLength = 10

    func lines(of progress: Progress) -> [String] {
        let text = progress.text.printable
        guard let fraction = progress.fraction else { return wrap(text) }
        let done = Int(fraction * Double(Self.barLength))
        let bar = String(repeating: "#", count: done) + String(repeating: "-", count: Self.barLength - done)
        let line = "\(text)  [\(bar)]"
        return !text.contains("\n") && TextWidth.of(line) <= width ? [line] : wrap(text)
    }

    private func wrap(_ text: String) -> [String] {
        TextWrapper(width: width, indent: Self.indent).lines(of: text)
    }

    /// A table; records of labelled values if its columns would be too narrow.
    func lines(of table: Content.TableData) -> [String] {
        let shown = table.headings.indices.filter { !table.headings[$0].isHidden }
        let columns = shown.map { index in
            let heading = table.headings[index]
            return TableLayout.Column(
                label: heading.label.printableLine, keepsWidth: heading.keepsWidth,
                isNumeric: heading.isNumeric, cells: table.rows.map { $0[index].text.printableLine })
        }
        guard let layout = TableLayout(columns, width: width) else {
            return records(of: columns, count: table.rows.count)
        }
        var lines = row(columns.map(\.label), columns, layout).map(style.bold)
        lines.reserveCapacity(table.rows.count + 1)
        for index in table.rows.indices { lines += row(columns.map { $0.cells[index] }, columns, layout) }
        return lines
    }

    private func row(_ cells: [String], _ columns: [TableLayout.Column], _ layout: TableLayout) -> [String] {
        guard layout.wraps else { return [line(cells, columns, layout)] }
        let wrapped = zip(cells, layout.widths).map { cell, width in
            TextWrapper(width: width, indent: TableLayout.indent).lines(of: cell)
        }
        let height = wrapped.map(\.count).max() ?? 1
        return (0..<height).map { index in
            line(wrapped.map { index < $0.count ? $0[index] : "" }, columns, layout)
        }
    }

    private func line(_ cells: [String], _ columns: [TableLayout.Column], _ layout: TableLayout) -> String {
        var line = ""
        // Blanks are written before something only, so that none end the line.
        var blanks = 0
        for (index, cell) in cells.enumerated() {
            let missing = max(0, layout.widths[index] - TextWidth.of(cell))
            if columns[index].isNumeric { blanks += missing }
            if !cell.isEmpty {
                line += String(repeating: " ", count: blanks)
                line += cell
                blanks = 0
            }
            blanks += TableLayout.gap + (columns[index].isNumeric ? 0 : missing)
        }
        return line.droppingLastBlanks
    }

    private func records(of columns: [TableLayout.Column], count: Int) -> [String] {
        let labels = columns.map(\.label)
        guard count > 0 else {
            return TextWidth.wrapped(labels.joined(separator: "  "), to: width).map(style.bold)
        }
        let layout = FieldLayout(labels: labels, values: columns.flatMap { $0.cells }, width: width)
        var lines: [String] = []
        for index in 0..<count {
            if index > 0 { lines.append("") }
            for column in columns {
                lines += layout.lines(column.label, Self.value(column.cells[index]), paint: style.faint)
            }
        }
        return lines
    }
}

extension TextRenderer {
    package init(width: Int) { self.init(width: width, style: TextStyle(isColored: false)) }
}

/// Colours and weights; none carries meaning alone.
struct TextStyle: Sendable {
    let isColored: Bool

    func bold(_ text: String) -> String { paint(text, "1") }
    func faint(_ text: String) -> String { paint(text, "2") }
    func red(_ text: String) -> String { paint(text, "31") }
    func green(_ text: String) -> String { paint(text, "32") }
    func yellow(_ text: String) -> String { paint(text, "33") }

    private func paint(_ text: String, _ code: String) -> String {
        isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    /// Without control characters, which could move the cursor, and those that reverse what follows; line ends
    /// stay.
    var printable: String {
        // The fast path: most text is ASCII.
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == UInt8(ascii: "\n") }) { return self }
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars { text.append(scalar.isControl ? "\u{FFFD}" : scalar) }
        return String(text)
    }

    var printableLine: String {
        let text = printable
        guard text.utf8.contains(UInt8(ascii: "\n")) else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: " ")
    }
}

extension Unicode.Scalar {
    /// Whether a terminal would obey it rather than show it: C0, DEL, C1, and the controls of direction.
    var isControl: Bool {
        (properties.generalCategory == .control || properties.isBidiControl) && self != "\n"
    }
}
