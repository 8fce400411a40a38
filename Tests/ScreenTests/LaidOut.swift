import AtriumKit
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumText

/// Content at one width, and the checks of its layout.
struct LaidOut {
    let content: Content
    let width: Int

    /// Requires that each line fits, that all text is shown, and that colours do not change the text.
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

    /// The visible scalars of a text, with control characters replaced.
    private func visible(_ text: String) -> [Unicode.Scalar] {
        text.printable.visibleScalars
    }

    private static func counts(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar: Int] {
        Dictionary(scalars.map { ($0, 1) }, uniquingKeysWith: +)
    }
}

extension Content {
    /// Every text that must be shown, once for each time.
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
    /// The headings and cells of the visible columns; empty for a table without rows.
    fileprivate var shownTexts: [String] {
        let columns = headings.indices.filter { !headings[$0].isHidden }
        guard !rows.isEmpty else { return [] }
        return columns.map { headings[$0].label } + rows.flatMap { row in columns.map { row[$0].text } }
    }
}
