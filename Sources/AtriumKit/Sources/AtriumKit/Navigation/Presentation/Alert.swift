/// A message over the current screen; its answers are actions: `ok`, `yes`, `no`; leaving it gives no answer.
public struct Alert: ResultDestination {
    /// The name of the answer that was given.
    public typealias Result = String

    public static let pattern: LinkPattern = "alert"

    public let title: String
    /// A paragraph below the title; nil for none.
    public let message: String?
    /// The answers, offered as actions in this order.
    public let answers: [Answer]

    /// Creates a message; each of `answers` becomes an action.
    public init(_ title: String, message: String? = nil, answers: [Answer] = [.ok]) {
        self.title = title
        self.message = message
        self.answers = answers
    }

    /// Creates an alert about `error`, with its next step if there is one.
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

    /// An answer to an alert.
    public struct Answer: Codable, Hashable, Sendable {
        /// The word to type.
        public let name: String
        /// The meaning of the answer, in one line.
        public let summary: String
        public let role: Role

        /// Creates an answer; `name` is the word to type, `summary` its meaning in one line.
        public init(_ name: String, _ summary: String, role: Role = .regular) {
            self.name = name
            self.summary = summary
            self.role = role
        }

        /// The message was read.
        public static let ok = Answer("ok", "Continue")
    }

    /// The kind of an answer.
    @frozen public enum Role: String, Codable, Hashable, Sendable {
        case regular
        /// Destroys something.
        case destructive
    }
}
