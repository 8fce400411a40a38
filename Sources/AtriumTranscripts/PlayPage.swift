internal import AtriumText

/// A play as a page: the picture, and below it the prose, the typed lines and their output to read.
enum PlayPage {
    static func html(of recording: PlayRecording, _ steps: [PlayedTranscript.Step]) -> String {
        var body = ["<figure>\n\(PlayPicture(recording).svg)</figure>"]
        for step in steps where !step.step.isSetup {
            if !step.step.notes.isEmpty {
                body.append("<p>\(step.step.notes.map(\.xmlEscaped).joined(separator: " "))</p>")
            }
            let output = step.shown.map { StyledLine($0).html }
            let typed = step.step.typed.filter { TranscriptMark($0).map(\.isTyped) ?? true }
                .map { "<span class=\"b\">\($0.xmlEscaped)</span>" }
            body.append("<pre>\((typed + output).joined(separator: "\n"))</pre>")
        }
        return MarkupStyle.page(
            recording.title, rules: "figure { margin: 0 } svg { max-width: 100%; height: auto }", body)
    }
}

extension TranscriptMark {
    /// False for the answers to questions, which are secrets.
    fileprivate var isTyped: Bool { if case .secret = self { false } else { true } }
}
