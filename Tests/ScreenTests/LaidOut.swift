import AtriumKit
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
            try #require(Self.isFound(wanted, in: shown), "\(state), width \(width) lacks: \(text)")
            for scalar in wanted { rest[scalar, default: 0] -= 1 }
        }
        try #require(rest.values.allSatisfy { $0 >= 0 }, "\(state), width \(width) lacks some of its text.")
        try #require(withoutEscapes(text(isColored: true)) == plain, "\(state), width \(width) in colour")
    }

    private func text(isColored: Bool) -> String {
        TextRenderer(width: width, style: TextStyle(isColored: isColored)).render(content)
    }

    /// The text without what sets colours and weights.
    private func withoutEscapes(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        var isEscape = false
        for scalar in text.unicodeScalars {
            if scalar == "\u{1B}" { isEscape = true }
            if !isEscape { plain.append(scalar) }
            if scalar == "m" { isEscape = false }
        }
        return String(plain)
    }

    /// The scalars that are no blanks, control characters replaced.
    private func visible(_ text: String) -> [Unicode.Scalar] {
        text.printable.unicodeScalars.filter { $0 != " " && $0 != "\n" }
    }

    private static func counts(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar: Int] {
        Dictionary(scalars.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// Whether the scalars are there in their order, whatever stands between them.
    private static func isFound(_ text: [Unicode.Scalar], in whole: [Unicode.Scalar]) -> Bool {
        var rest = whole[...]
        for scalar in text {
            guard let index = rest.firstIndex(of: scalar) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
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

extension TableContent {
    /// The head and the cells of the columns that people see; nothing of a table without rows.
    fileprivate var shownTexts: [String] {
        let columns = headings.indices.filter { !headings[$0].isHidden }
        guard !rows.isEmpty else { return [] }
        return columns.map { headings[$0].label } + rows.flatMap { row in columns.map { row[$0].text } }
    }
}
