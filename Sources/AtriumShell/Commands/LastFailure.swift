@_spi(Host) internal import AtriumKit

/// The last command that failed, for `why`.
@MainActor
final class LastFailure {
    private(set) var command = ""
    private(set) var error: (any ExplainedError)?

    func note(_ command: String, _ error: any ExplainedError) {
        self.command = command
        self.error = error
    }
}

enum FailureViews {
    /// An error and its causes, from the screen down to the layer that failed.
    static func chain(_ command: String, _ error: (any ExplainedError)?) -> Content {
        Content {
            if let error {
                Field("command", command)
                Table(causes(of: error), key: "causes") {
                    Column("layer") { $0.number }
                    Column("code") { $0.error.code.rawValue }
                    Column("said") { $0.error.message }
                }
                if let hint = error.hint { Notice(.information, "What can be done:", hint: hint) }
            } else {
                Notice(.information, "No command has failed yet.")
            }
        }
    }

    private struct Cause {
        let number: Int
        let error: any ExplainedError
    }

    /// A chain of causes may be circular.
    private static let deepest = 20

    private static func causes(of error: any ExplainedError) -> [Cause] {
        var causes: [Cause] = []
        var next: (any Error)? = error
        while let error = next, causes.count < deepest {
            let explained = UnexplainedError.explain(error)
            causes.append(Cause(number: causes.count + 1, error: explained))
            next = (error as? any ExplainedError)?.cause
        }
        return causes
    }
}
