package import AtriumKit

extension ModuleError {
    static func alreadyThere(_ module: String) -> ModuleError {
        ModuleError(
            .alreadyThere, "There is a module '\(module)' already.",
            hint: "module update \(module), or module remove \(module) before.")
    }

    static func twice(_ module: String) -> ModuleError {
        ModuleError(
            .alreadyThere, "Two of the libraries hold a module '\(module)'.", hint: "Name one of them.")
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

    static func olderDatabase(_ module: String, version: String, knows: Int, has: Int) -> ModuleError {
        ModuleError(
            .notAllowed,
            "Module '\(module)' \(version) knows version \(knows) of its database, and the one that is there has "
                + "version \(has).",
            hint: "Build a version of it that can read the newer database.")
    }

    static func notTried(_ module: String) -> ModuleError {
        ModuleError(
            .moduleNotActive, "Module '\(module)' was not tried yet, so it can't be loaded within a command.",
            hint: "module start \(module)")
    }

    static func nothingBefore(_ module: String) -> ModuleError {
        ModuleError(
            .notFound, "Module '\(module)' has no generation before this one in this host.",
            hint: "module \(module)")
    }

    static func wasRefused(_ module: String, _ reason: String) -> ModuleError {
        ModuleError(
            .unknownModule, "There is no module '\(module)'; the last time it was to be added: \(reason)",
            hint: "events \(module)")
    }

    static func unknown(_ module: String, known: [String]) -> ModuleError {
        ModuleError(
            .unknownModule, "There is no module '\(module.prefix(80))'.",
            hint: NearestName.of(module, among: known).map { "Did you mean '\($0)'?" }
                ?? "'modules' lists them.")
    }

    static func notStored(_ module: String, digest: String) -> ModuleError {
        ModuleError(
            .libraryNotFound,
            "Module '\(module)' was rolled back to the build \(digest.prefix(16)), which is not there any more.",
            hint: "module update \(module)")
    }

    /// Several errors as one; nil where there is none.
    static func all(_ errors: [ModuleError]) -> ModuleError? {
        guard let first = errors.first, errors.count > 1 else { return errors.first }
        return ModuleError(
            first.code, errors.map(\.message).joined(separator: " "), hint: first.hint, cause: first.cause)
    }
}

extension ErrorCode {
    /// A module of that name is there already.
    package static let alreadyThere: ErrorCode = "alreadyThere"
    /// What a module requires is not there, or has another version.
    package static let requirementMissing: ErrorCode = "requirementMissing"
    /// State could not be handed over from one generation to the next.
    package static let handOver: ErrorCode = "handOver"
    /// There is no module of that name.
    package static let unknownModule: ErrorCode = "unknownModule"
}
