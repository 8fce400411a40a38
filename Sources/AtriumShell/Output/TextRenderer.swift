package import AtriumKit

/// Lays content out as text of a given width, of which nothing is left out.
package struct TextRenderer {
    /// The columns of a line.
    let width: Int
    let style: TextStyle
    /// Whether lines that are shown as they are get cut where they are too wide; not where a program reads
    /// them.
    var cutsVerbatim = true

    /// The least columns that an indented part is shown in.
    private static let leastIndentedWidth = 20
    /// The columns by which a part with a heading is set in, and the further lines of a notice.
    static let indent = 2

    /// The content in lines, each ended.
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

    /// The blocks that people see.
    private func shown(_ blocks: [Content.Block]) -> [Content.Block] {
        // A table without rows says nothing that a message beside it does not say better.
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

    /// A part of a screen; below its heading, where it has one, and set in as long as there is room.
    private func lines(ofGroup content: Content) -> [String] {
        guard case .title? = content.blocks.first, width >= Self.leastIndentedWidth + Self.indent else {
            return lines(of: content.blocks)
        }
        let inner = TextRenderer(width: width - Self.indent, style: style, cutsVerbatim: cutsVerbatim)
        let margin = String(repeating: " ", count: Self.indent)
        let heading = lines(of: content.blocks[0])
        // Laid out with the heading, so that the gap below it is that of any heading.
        let all = inner.lines(of: content.blocks)
        let headingInside = inner.lines(of: content.blocks[0])
        return heading + all.dropFirst(headingInside.count).map { $0.isEmpty ? $0 : margin + $0 }
    }

    private func lines(of verbatim: Verbatim) -> [String] {
        let lines = verbatim.lines.map(\.printableLine)
        return cutsVerbatim ? lines.flatMap { TextWrapper.cut($0, to: width) } : lines
    }
}

extension TextRenderer {
    package init(width: Int) {
        self.init(width: width, style: TextStyle(isColored: false))
    }
}
