/// What the word at the cursor can become.
package struct CompletionList: Equatable, Sendable {
    /// Where the completed word starts, as an offset into the line's UTF-8; it ends at the cursor.
    package var start: Int
    package var candidates: [CompletionCandidate]

    package init(start: Int, candidates: [CompletionCandidate]) {
        self.start = start
        self.candidates = candidates
    }

    /// The text all candidates begin with; what a Tab inserts while several are left.
    var commonPrefix: String {
        guard let first = candidates.first?.text else { return "" }
        return candidates.dropFirst().reduce(first) { prefix, candidate in
            String(zip(prefix, candidate.text).prefix { $0 == $1 }.map(\.0))
        }
    }
}

/// One of the words a completion offers.
package struct CompletionCandidate: Equatable, Sendable {
    /// What replaces the word.
    package var text: String
    /// A few words about it, shown beside it in a list.
    package var summary: String?
    /// Whether the word is complete, so that a space follows it.
    package var isFinal: Bool

    package init(text: String, summary: String? = nil, isFinal: Bool = true) {
        self.text = text
        self.summary = summary
        self.isFinal = isFinal
    }
}
