import AtriumKit

/// Why people could not be looked up.
struct DirectoryError: ExplainedError, Equatable {
    let code: ErrorCode
    let message: String
    let hint: String?
    let category: ErrorCategory

    private init(
        _ code: ErrorCode, _ message: String, hint: String? = "users", category: ErrorCategory = .failure
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.category = category
    }

    static func notFound(_ id: String) -> DirectoryError {
        DirectoryError(.notFound, "There is no user '\(id)'.")
    }

    static func badQuery(_ problems: [String]) -> DirectoryError {
        DirectoryError(.validation, problems.joined(separator: " "), category: .validation)
    }

    static func tooMany(_ count: Int, maximum: Int) -> DirectoryError {
        DirectoryError(
            .validation, "At most \(maximum) profiles can be asked for at once, not \(count).",
            category: .validation)
    }

    static func noPage(_ direction: String, _ page: Int) -> DirectoryError {
        DirectoryError(.notFound, "There is no page \(direction) page \(page).", hint: "users list")
    }
}
