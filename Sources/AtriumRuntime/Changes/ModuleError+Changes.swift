package import AtriumKit

extension ModuleError {
    static func alreadyThere(_ module: String) -> ModuleError {
        ModuleError(
            .alreadyThere, "There is a module '\(module)' already.",
            hint: "module update \(module), or module remove \(module) first.")
    }

    static func twice(_ module: String) -> ModuleError {
        ModuleError(
            .alreadyThere, "Two of the libraries contain a module '\(module)'.", hint: "Name one of them.")
    }

    static func wouldWait(_ module: String, _ version: String?, _ reason: String) -> ModuleError {
        ModuleError(
            .requirementMissing,
            "Module '\(module)'\(version.map { " \($0)" } ?? "") could not start: \(reason)",
            hint: "Add or update what it requires in the same command.")
    }

    static func handOver(_ module: String, from: String, to: String, _ error: any Error) -> ModuleError {
        let explained = error as? any ExplainedError
        return ModuleError(
            .handOver,
            "The state of module '\(module)' \(from) could not be handed over to \(to): "
                + (explained?.message ?? "an error of type \(type(of: error))."),
            hint: explained?.hint, cause: error)
    }

    static func olderDatabase(_ module: String, version: String, supports: Int, has: Int) -> ModuleError {
        ModuleError(
            .notAllowed,
            "Module '\(module)' \(version) supports version \(supports) of its database, which has version \(has).",
            hint: "Build a version of it that can read the newer database.")
    }

    static func nothingBefore(_ module: String) -> ModuleError {
        ModuleError(
            .notFound, "Module '\(module)' has no earlier generation in this host.",
            hint: "module \(module)")
    }

    static func notStored(_ module: String, digest: String) -> ModuleError {
        ModuleError(
            .libraryNotFound,
            "Module '\(module)' was rolled back to the build \(digest.prefix(16)), which no longer exists.",
            hint: "module update \(module)")
    }
}

extension ErrorCode {
    /// A module of that name exists already.
    package static let alreadyThere: ErrorCode = "alreadyThere"
    /// A requirement of a module is missing, or has another version.
    package static let requirementMissing: ErrorCode = "requirementMissing"
    /// State could not be handed over from one generation to the next.
    package static let handOver: ErrorCode = "handOver"
}
