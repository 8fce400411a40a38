/// A message over the current screen; its answers are actions: `ok`, `yes`, `no`; leaving it answers nothing.
public struct Alert: ResultDestination {
    /// The name of the answer that was given.
    public typealias Result = String

    public static let pattern: LinkPattern = "alert"

    public let title: String
    public let message: String?
    public let answers: [Answer]

    public init(_ title: String, message: String? = nil, answers: [Answer] = [.ok]) {
        self.title = title
        self.message = message
        self.answers = answers
    }

    /// What went wrong, with the next step if there is one.
    public init(_ error: any Error, title: String) {
        let explained = error as? any ExplainedError
        let words = [
            explained?.message ?? "An unexpected error happened.", explained?.hint.map { "Try: \($0)" },
        ]
        self.init(title, message: words.compactMap { $0 }.joined(separator: "\n"))
    }

    /// Creates a question that is answered with `yes` or `no`.
    public static func confirmation(_ question: String, message: String? = nil, doing summary: String)
        -> Alert
    {
        Alert(
            question, message: message,
            answers: [Answer("yes", summary, role: .destructive), Answer("no", "Leave everything as it is")])
    }

    /// An answer.
    public struct Answer: Codable, Hashable, Sendable {
        /// What is typed.
        public let name: String
        /// What it means, in a line.
        public let summary: String
        public let role: Role

        public init(_ name: String, _ summary: String, role: Role = .regular) {
            self.name = name
            self.summary = summary
            self.role = role
        }

        /// The message was read.
        public static let ok = Answer("ok", "Continue")
    }

    /// What an answer stands for.
    @frozen public enum Role: String, Codable, Hashable, Sendable {
        case regular
        /// Destroys something.
        case destructive
    }
}
