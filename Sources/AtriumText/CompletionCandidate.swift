package struct CompletionCandidate: Equatable, Sendable {
    package var text: String
    package var summary: String?
    /// True if the word is complete, so that a space follows it.
    package var isFinal = true

    package init(text: String, summary: String? = nil, isFinal: Bool = true) {
        (self.text, self.summary, self.isFinal) = (text, summary, isFinal)
    }
}
