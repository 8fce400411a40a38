struct RestoreError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?
    let cause: (any Error)?

    private init(_ code: ErrorCode, _ message: String, hint: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    static func newer(_ screen: ScreenRegistration, version: Int) -> RestoreError {
        RestoreError(
            .newerEntry,
            "The stack entry '\(screen.name)' was kept by version \(version) of its destination, and module "
                + "'\(screen.module)' has version \(screen.version).",
            hint: "Load a newer build of \(screen.module).")
    }

    static func notMigrated(_ screen: ScreenRegistration, version: Int, cause: (any Error)? = nil)
        -> RestoreError
    {
        RestoreError(
            .unreadableEntry,
            "The stack entry '\(screen.name)' was kept by version \(version) of its destination, which version "
                + "\(screen.version) of module '\(screen.module)' can't migrate.", hint: "back", cause: cause)
    }

    static func damaged(_ screen: ScreenRegistration, cause: any Error) -> RestoreError {
        RestoreError(
            .unreadableEntry,
            "The stack entry '\(screen.name)' is damaged: module '\(screen.module)' can't read it.",
            hint: "back", cause: cause)
    }
}

extension ErrorCode {
    static let unreadableEntry: ErrorCode = "unreadableEntry"
    static let newerEntry: ErrorCode = "newerEntry"
}
