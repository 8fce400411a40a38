internal import AtriumText

/// Decides which lines of a Markdown page are a transcript: those in blocks whose language is `console`.
struct MarkdownReader {
    enum Line: Equatable {
        /// Shown to readers only.
        case prose
        /// The end of a block.
        case end
        /// In a block.
        case console
        /// A comment with a command of bash, which prepares what follows.
        case setup(String)
        /// A comment with a key of a head.
        case head(String, String)
    }

    private enum Block { case console, other }

    private var block: Block?
    /// True below a comment that says why the next block is not typed.
    private var skipsBlock = false
    /// The paragraph above, for an audience.
    private(set) var paragraph: [String] = []
    private var endsParagraph = false

    mutating func read(_ line: String) -> Line {
        if let block {
            guard line.hasPrefix("```") else { return block == .console ? .console : .prose }
            (self.block, skipsBlock, paragraph) = (nil, false, [])
            return .end
        }
        if line.hasPrefix("```") {
            let language = line.drop { $0 == "`" }.prefix { $0 != " " }
            block = language == "console" && !skipsBlock ? .console : .other
            return .prose
        }
        return text(line)
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
