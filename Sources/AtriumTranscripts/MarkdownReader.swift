/// Decides which lines of a Markdown page are a transcript: those in blocks whose language is `console`.
///
/// Fences and comments are those of CommonMark: https://spec.commonmark.org/0.31.2/#fenced-code-blocks.
struct MarkdownReader {
    enum Line: Equatable {
        /// Shown to readers only.
        case prose
        /// The end of a block.
        case end
        /// In a block; without the indentation of the block.
        case console(String)
        /// A comment with a command of bash, which prepares what follows.
        case setup(String)
        /// A comment with a key of a head.
        case head(String, String)
    }

    /// The open block.
    private var fence: Fence?
    /// True in a block whose lines are typed.
    private var isTyped = false
    /// True in a comment of several lines.
    private var isInComment = false
    /// The indentation of what belongs to the list item above; 0 outside lists.
    private var listIndentation = 0
    /// True below a comment that says why the next block is not typed.
    private var skipsBlock = false
    /// The paragraph above, for an audience.
    private(set) var paragraph: [String] = []
    private var endsParagraph = false

    /// The indentation of the block's lines.
    var indentation: Int { fence?.indentation ?? 0 }

    mutating func read(_ line: String) -> Line {
        if let fence {
            guard fence.isClosed(by: line, listIndentation) else {
                return isTyped ? .console(fence.content(of: line)) : .prose
            }
            (self.fence, skipsBlock, paragraph) = (nil, false, [])
            return .end
        }
        if isInComment {
            isInComment = !line.contains("-->")
            return .prose
        }
        let content = listContent(of: line)
        if let opened = Fence(content, listIndentation) {
            (fence, isTyped) = (opened, opened.language == "console" && !skipsBlock)
            return .prose
        }
        let start = content.drop { $0 == " " }
        if start.hasPrefix("<!--"), !start.dropFirst(4).contains("-->"),
            content.indentation < listIndentation + 4
        {
            if start.hasPrefix("<!-- not typed:") { skipsBlock = true }
            isInComment = true
            return .prose
        }
        return text(line)
    }

    /// The line with spaces for the marks of items of lists, whose indentation is noted.
    private mutating func listContent(of line: String) -> String {
        let rest = line.drop { $0 == " " }
        guard !rest.isEmpty else { return line }
        if line.indentation < listIndentation { listIndentation = 0 }
        guard line.indentation < listIndentation + 4 else { return line }
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        let mark = rest.dropFirst(digits.count).first ?? " "
        guard digits.isEmpty ? "-+*".contains(mark) : digits.count < 10 && ".)".contains(mark) else {
            return line
        }
        let below = rest.dropFirst(digits.count + 1)
        guard below.first ?? " " == " " else { return line }
        let spaces = below.prefix { $0 == " " }.count
        let width = line.indentation + digits.count + 1
        listIndentation = width + ((1...4).contains(spaces) ? spaces : 1)
        return listContent(of: String(repeating: " ", count: width) + below)
    }

    private mutating func text(_ line: String) -> Line {
        guard line.hasPrefix("<!-- "), line.hasSuffix(" -->") else {
            if line.isEmpty {
                endsParagraph = true
            } else if !["|", "<", "!", "["].contains(line.first) {
                if endsParagraph { paragraph = [] }
                endsParagraph = line.hasPrefix("#")
                paragraph.append(String(line.trimmingPrefix { $0 == "#" }.trimmingPrefix { $0 == " " }))
                skipsBlock = false
            }
            return .prose
        }
        let comment = String(line.dropFirst(5).dropLast(4))
        if comment.hasPrefix("not typed: ") { skipsBlock = true }
        guard let (key, value) = TranscriptHead.parts(comment) else { return .prose }
        return key == "setup" ? .setup(value) : TranscriptHead.has(key) ? .head(key, value) : .prose
    }

    /// The paragraph above a line that is typed, once.
    mutating func takeParagraph() -> [String] {
        defer { paragraph = [] }
        return paragraph
    }

    /// What a line of a block types: `$ LINE`, `atrium> LINE`, or a prompt as the host prints it.
    static func typed(_ line: String) -> (target: Transcript.Step.Target, input: String)? {
        if line.hasPrefix("$ ") { return (.shell, String(line.dropFirst(2))) }
        guard
            let end = line.firstRange(of: "> ")
                ?? (line.hasSuffix(">")
                    ? line.lastIndex(of: ">").map {
                        $0..<line.endIndex
                    } : nil)
        else { return nil }
        let words = line[..<end.lowerBound].split(separator: " ", omittingEmptySubsequences: false)
        let isPrompt = words.count == 3 && ["mock", "local", "live"].contains(String(words[0]))
        guard isPrompt || words == ["atrium"] else { return nil }
        return (.scene("main"), String(line[end.upperBound...]))
    }
}

/// The line that opens a block of code: three or more backticks or tildes, and a language.
private struct Fence {
    let indentation: Int
    let language: String
    private let mark: Character
    private let length: Int

    /// Reads a line below an item of a list with this indentation; nil if it opens no block.
    init?(_ line: String, _ listIndentation: Int) {
        let rest = line.drop { $0 == " " }
        guard let mark = rest.first, mark == "`" || mark == "~",
            (listIndentation..<listIndentation + 4).contains(line.indentation)
        else { return nil }
        let info = rest.drop { $0 == mark }
        length = rest.count - info.count
        guard length >= 3, mark == "~" || !info.contains("`") else { return nil }
        self.mark = mark
        indentation = line.indentation
        language = info.split { $0 == " " || $0 == "\t" }.first.map(String.init) ?? ""
    }

    func isClosed(by line: String, _ listIndentation: Int) -> Bool {
        let rest = line.drop { $0 == " " }
        let info = rest.drop { $0 == mark }
        return rest.count - info.count >= length && info.allSatisfy { $0 == " " || $0 == "\t" }
            && line.indentation < listIndentation + 4
    }

    /// A line of the block without the indentation of the fence.
    func content(of line: String) -> String {
        String(line.dropFirst(min(line.indentation, indentation)))
    }
}

extension String {
    /// The number of spaces at the beginning.
    fileprivate var indentation: Int { prefix { $0 == " " }.count }
}
