package import AtriumKit

/// Renders content as text of a given width, without omissions.
package struct TextRenderer {
    let width: Int
    let style: TextStyle
    /// True if verbatim lines are cut to the width; not for programs.
    var cutsVerbatim = true
    /// The time to which times are relative, as for a user at a terminal; nil to show them exactly.
    package var now: Timestamp?

    package init(
        width: Int, style: TextStyle = TextStyle(isColored: false), cutsVerbatim: Bool = true,
        now: Timestamp? = nil
    ) {
        (self.width, self.style, self.cutsVerbatim, self.now) = (width, style, cutsVerbatim, now)
    }

    private static let leastIndentedWidth = 20
    static let indent = 2

    package func render(_ content: Content) -> String {
        var text = ""
        for line in lines(of: content.blocks) {
            text += line
            text += "\n"
        }
        // Lines are not broken at a no-break space; print it as a space so that output can be pasted back.
        return text.utf8.has(0xC2) ? text.replacing("\u{A0}", with: " ") : text
    }

    private func lines(of all: [Content.Block]) -> [String] {
        var lines: [String] = []
        var blocks = shown(all)[...]
        var previous: Content.Block?
        var isInRecords = false
        while let block = blocks.first {
            if let previous, needsGap(between: previous, isInRecords, and: block) { lines.append("") }
            if case .field(let field) = block, field.isLine {
                lines += self.lines(ofLine: field, closesList: previous?.isTable == true)
                blocks = blocks.dropFirst()
            } else if case .field = block {
                let fields = blocks.prefix { if case .field(let field) = $0 { !field.isLine } else { false } }
                lines += self.lines(
                    of: fields.compactMap { if case .field(let field) = $0 { field } else { nil } })
                blocks = blocks.dropFirst(fields.count)
            } else if case .table(let table) = block {
                let shown = self.lines(ofTable: table)
                lines += shown.lines
                isInRecords = shown.isInRecords
                blocks = blocks.dropFirst()
            } else {
                lines += self.lines(of: block)
                blocks = blocks.dropFirst()
            }
            previous = block
        }
        return lines
    }

    /// The content for a small terminal, in few lines: a table has one line per row and no headings, and
    /// consecutive fields share a line.
    func shortLines(of content: Content) -> [String] {
        var lines: [String] = []
        var blocks = shown(content.blocks)[...]
        while let block = blocks.popFirst() {
            switch block {
            case .title, .text: lines += self.lines(of: block).prefix(1)
            case .table(let table):
                let columns = table.headings.indices.filter { !table.headings[$0].isHidden }
                lines += table.rows.map { row in
                    line(columns.map { text(of: row[$0]).printableLine }.filter { !$0.isEmpty }, by: "  ")
                }
            case .field(let field) where field.isLine: lines.append(line([field.text.printableLine], by: ""))
            case .field(let first):
                var fields = [first]
                while case .field(let next)? = blocks.first, !next.isLine {
                    fields.append(next)
                    blocks = blocks.dropFirst()
                }
                lines.append(
                    line(
                        fields.map { "\($0.label) \(Self.value(text(of: $0).printable))".printableLine },
                        by: ", "))
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
        // An empty table beside a notice adds nothing.
        let hasNotice = blocks.contains { if case .notice = $0 { true } else { false } }
        return blocks.filter { block in
            switch block {
            case .verbatim(let verbatim): !verbatim.lines.isEmpty
            case .table(let table):
                !(hasNotice && table.rows.isEmpty) && table.headings.contains { !$0.isHidden }
            case .group(_, let content): !shown(content.blocks).isEmpty
            case .field(let field): !(field.isLine && field.text.isEmpty)
            default: true
            }
        }
    }

    private func needsGap(
        between previous: Content.Block, _ isInRecords: Bool, and next: Content.Block
    ) -> Bool {
        switch (previous, next) {
        case (.notice, .notice), (.progress, .progress), (.title, .text), (.title, .field),
            (.title, .progress):
            false
        // If the list became records separated by blank lines, its closing line would seem part of one.
        case (.table, .field(let field)) where field.isLine: isInRecords
        case (.field(let line), .field(let field)): !(line.isLine && field.isLine)
        default: true
        }
    }

    private func lines(of block: Content.Block) -> [String] {
        switch block {
        case .title(let text): TextWidth.wrapped(text.printable, to: width).map(style.bold)
        case .text(let text): TextWidth.wrapped(text.printable, to: width)
        case .field(let field): lines(of: [field])
        case .table(let table): lines(ofTable: table).lines
        case .notice(let notice): lines(of: notice)
        case .group(_, let content): lines(ofGroup: content)
        case .verbatim(let verbatim): lines(of: verbatim)
        case .progress(let progress): lines(of: progress)
        @unknown default: []
        }
    }

    /// A group, below its heading and indented if there is room.
    private func lines(ofGroup content: Content) -> [String] {
        guard case .title? = content.blocks.first, width >= Self.leastIndentedWidth + Self.indent else {
            return lines(of: content.blocks)
        }
        let inner = TextRenderer(
            width: width - Self.indent, style: style, cutsVerbatim: cutsVerbatim, now: now)
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
        let values = fields.map { Self.value(text(of: $0).printable) }
        let layout = FieldLayout(labels: labels, values: values, width: width)
        return fields.indices.flatMap { index in
            layout.lines(
                labels[index], values[index], paint: style.faint,
                paintValue: style.paint(ofValue: fields[index].key))
        }
    }

    /// A field without a label: its value on a separate line, directly below the list that it closes.
    private func lines(ofLine field: Field, closesList: Bool) -> [String] {
        let lines = wrap(field.text.printable)
        return closesList ? lines.map(style.faint) : lines
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
        if let hint = notice.hint {
            lines += self.lines("Try:", hint, keepsQuotations: true, paint: style.faint)
        }
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

    func wrap(_ text: String) -> [String] {
        TextWrapper(width: width, indent: Self.indent).lines(of: text)
    }
}

extension Field {
    /// True if it is on a separate line: a field without a label.
    package var isLine: Bool { label.isEmpty }
}

extension Content.Block {
    fileprivate var isTable: Bool { if case .table = self { true } else { false } }
}

extension TextRenderer {
    package init(width: Int) { self.init(width: width, style: TextStyle(isColored: false)) }
}

extension String {
    /// The text without control characters, which could move the cursor, or reverse the text after them; line
    /// ends stay.
    package var printable: String {
        // Fast path: most text is ASCII.
        if utf8.arePlain(lineEnds: true) { return self }
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars { text.append(scalar.isControl ? "\u{FFFD}" : scalar) }
        return String(text)
    }

    package var printableLine: String {
        let text = printable
        guard text.utf8.has(UInt8(ascii: "\n")) else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: " ")
    }
}

extension Unicode.Scalar {
    /// True if a terminal would obey it rather than show it: C0, DEL, C1, and bidirectional controls.
    var isControl: Bool {
        (properties.generalCategory == .control || properties.isBidiControl) && self != "\n"
    }
}
