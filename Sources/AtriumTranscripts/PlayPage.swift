internal import AtriumText

/// A play as a page: the picture, and below it the prose, the typed lines and their output to read.
enum PlayPage {
    static func html(of recording: PlayRecording, _ steps: [PlayedTranscript.Step], head: [String]) -> String
    {
        var body = ["<figure>\n\(PlayPicture(recording).svg)</figure>"]
        body += prose(head)
        for step in steps {
            body += prose(step.step.prose)
            let output = step.shown.map { StyledLine($0).html }
            let typed = step.step.typed.filter { TranscriptMark($0).map(\.isTyped) ?? true }
                .map { "<span class=\"b\">\($0.xmlEscaped)</span>" }
            body.append("<pre>\((typed + output).joined(separator: "\n"))</pre>")
        }
        return MarkupStyle.page(
            recording.title, rules: "figure { margin: 0 } svg { max-width: 100%; height: auto }", body)
    }

    /// The paragraphs of lines of prose.
    private static func prose(_ lines: [String]) -> [String] {
        let texts = lines.filter { TranscriptMark($0) == .prose }.map { String($0.dropFirst(2)).xmlEscaped }
        return texts.isEmpty ? [] : ["<p>\(texts.joined(separator: " "))</p>"]
    }
}

extension TranscriptMark {
    /// False for the answers to questions, which are secrets.
    fileprivate var isTyped: Bool { if case .secret = self { false } else { true } }
}
