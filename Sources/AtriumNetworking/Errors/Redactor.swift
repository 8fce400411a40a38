/// Takes secrets out of texts that others wrote: a server's sentence, a transport's message.
struct Redactor: Sendable {
    private let secrets: [String]

    /// The longest first: one may be part of another.
    init(_ secrets: [String]) {
        self.secrets = secrets.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
    }

    func callAsFunction(_ text: String) -> String {
        secrets.reduce(text) { $0.replacing($1, with: "(hidden)") }
    }

    func callAsFunction(_ text: String?) -> String? {
        text.map { self($0) }
    }
}
