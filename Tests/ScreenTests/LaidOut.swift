import AtriumKit
import TestSupport
import Testing

@testable import AtriumShell

/// Content as text of one width, and what has to be true of it.
struct LaidOut {
    let content: Content
    let width: Int

    /// Requires that nothing leaves the width, that nothing is lost, and that colours change nothing else.
    func check(_ state: String) throws {
        let plain = text(isColored: false)

        for line in plain.split(separator: "\n") {
            try #require(TextWidth.of(line) <= width, "\(state), width \(width): \(line)")
        }
        let shown = visible(plain)
        var rest = Self.counts(shown)
        for text in content.shownTexts {
            let wanted = visible(text)
            try #require(wanted.isFound(in: shown), "\(state), width \(width) lacks: \(text)")
            for scalar in wanted { rest[scalar, default: 0] -= 1 }
        }
        try #require(rest.values.allSatisfy { $0 >= 0 }, "\(state), width \(width) lacks some of its text.")
        try #require(text(isColored: true).withoutEscapes == plain, "\(state), width \(width) in colour")
    }

    private func text(isColored: Bool) -> String {
        TextRenderer(width: width, style: TextStyle(isColored: isColored)).render(content)
    }

    /// What is seen of a text, control characters replaced.
    private func visible(_ text: String) -> [Unicode.Scalar] {
        text.printable.visibleScalars
    }

    private static func counts(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar: Int] {
        Dictionary(scalars.map { ($0, 1) }, uniquingKeysWith: +)
    }
}

extension Content {
    /// Every text that people are to see of it, one for each time that it is to be there.
    var shownTexts: [String] {
        blocks.flatMap { block -> [String] in
            switch block {
            case .title(let text), .text(let text): [text]
            case .field(let field): [field.label, field.text]
            case .table(let table): table.shownTexts
            case .notice(let notice): [notice.text] + (notice.hint.map { [$0] } ?? [])
            case .group(_, let content): content.shownTexts
            case .verbatim(let verbatim): verbatim.lines
            case .progress(let progress): [progress.text]
            @unknown default: []
            }
        }
    }
}

extension Content.TableData {
    /// The head and the cells of the columns that people see; nothing of a table without rows.
    fileprivate var shownTexts: [String] {
        let columns = headings.indices.filter { !headings[$0].isHidden }
        guard !rows.isEmpty else { return [] }
        return columns.map { headings[$0].label } + rows.flatMap { row in columns.map { row[$0].text } }
    }
}
