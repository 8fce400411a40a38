import SwiftSyntax

struct DocumentationComment {
    private var lines: [String] = []

    init(_ trivia: Trivia) {
        for piece in trivia {
            switch piece {
            case .docLineComment(let text): lines.append(String(text.dropFirst(3)))
            case .docBlockComment(let text): lines = Self.lines(ofBlock: text)
            case .newlines(let count) where count > 1: lines = []
            default: break
            }
        }
    }

    /// The first sentence of the first paragraph, without its full stop and without the marks of code.
    var firstSentence: String? {
        let paragraph = lines.map(\.trimmed).drop { $0.isEmpty }.prefix { !$0.isEmpty }
        let words = paragraph.flatMap { $0.split(whereSeparator: \.isWhitespace) }
        var text = words.joined(separator: " ").replacing("`", with: "")
        if let end = text.firstRange(of: ". ") { text.removeSubrange(end.lowerBound...) }
        if text.hasSuffix(".") { text.removeLast() }
        return text.isEmpty ? nil : text
    }

    private static func lines(ofBlock text: String) -> [String] {
        text.dropFirst(3).dropLast(2).split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let line = String(line).trimmed
            return line.hasPrefix("*") ? String(line.dropFirst()) : line
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.prefix(start.count - start.reversed().prefix(while: \.isWhitespace).count))
    }
}
