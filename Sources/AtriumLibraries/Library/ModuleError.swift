@_spi(Host) package import AtriumKit
internal import AtriumStorage

/// A reason why a module can't be loaded.
package struct ModuleError: ExplainedError, Codable {
    private let rawCode: String
    package let message: String
    package let hint: String?
    package private(set) var cause: (any Error)?
    package var code: ErrorCode { ErrorCode(rawValue: rawCode) }
    package var category: ErrorCategory {
        [.unknownModule, .notFound, .invalidArgument].contains(code) ? .failure : .module
    }

    private enum CodingKeys: String, CodingKey {
        case rawCode = "code"
        case message, hint
    }

    package init(_ code: ErrorCode, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        rawCode = code.rawValue
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    // MARK: - Files

    package static func notFound(_ module: String, searched: [String]) -> ModuleError {
        ModuleError(
            .libraryNotFound,
            "There is no library 'lib\(module).so' for module '\(module)' in \(list(searched)).",
            hint: "Build it with 'make build', or give its \"path\" in modules.json.")
    }

    package static func unreadable(_ path: String, errno: CInt) -> ModuleError {
        ModuleError(
            .libraryNotFound, "The library '\(path)' can't be read: \(SystemError.current.reason).",
            hint: "Check the path, and the permissions of the file.")
    }

    package static func notALibrary(_ path: String, _ reason: String) -> ModuleError {
        ModuleError(
            .notALibrary, "'\(path)' is not a module library: \(reason).",
            hint: "A module is the dynamic library that 'swift build' makes of it.")
    }

    package static func tooLarge(_ path: String, bytes: Int) -> ModuleError {
        let limit = RandomAccessFile.sizeLimit
        return ModuleError(
            "tooLarge",
            "'\(path)' is too large: it has \(bytes >> 20) MB, and a library \(limit >> 20) at most.",
            hint: "Build it again, without debug information: swift build -c release -Xlinker -s")
    }

    package static func truncated(_ path: String) -> ModuleError {
        ModuleError(
            .notALibrary, "'\(path)' is incomplete: it ends before its contents do.",
            hint: "Build or copy it again.")
    }

    package static func otherMachine(_ path: String) -> ModuleError {
        ModuleError(
            "otherMachine", "'\(path)' is a library for another machine than this one.",
            hint: "Build it on this kind of machine.")
    }

    package static func noManifest(_ path: String) -> ModuleError {
        ModuleError(
            "noManifest", "'\(path)' has no manifest in it, so it is not a module.",
            hint: "Add the build plugin EmbedManifest to its target, and a module.json.")
    }

    package static func badManifest(_ path: String, findings: String) -> ModuleError {
        ModuleError(
            .badManifest, "The manifest in '\(path)' is invalid: \(findings)",
            hint: "Build the module again with this version of the SDK.")
    }

    package static func otherName(
        _ path: String, expected: String, in file: String, found: String
    ) -> ModuleError {
        ModuleError(
            .badManifest, "'\(path)' holds module '\(found)', but \(file) expects '\(expected)' there.",
            hint: "Correct the \"name\" or the \"path\" in \(file).")
    }

    package static func storeUnwritable(_ folder: String, errno: CInt) -> ModuleError {
        ModuleError(
            .storeUnwritable,
            "The folder '\(folder)' can't be created: \(SystemError.current.reason).",
            hint: "Choose another data folder with --data DIR.")
    }

    package static func changedWhileRead(_ path: String) -> ModuleError {
        ModuleError(
            .changedWhileRead, "'\(path)' was replaced or written to while it was being read.",
            hint: "Try again when the build has finished.")
    }

    // MARK: - Loading

    package static func notLoadable(_ owner: String, reason: String) -> ModuleError {
        ModuleError(
            "notLoadable", "The library of \(owner) can't be loaded: \(reason).",
            hint: "Install what it needs, or build it again on this machine.")
    }

    static func noExecution(_ owner: String, _ folder: String) -> ModuleError {
        ModuleError(
            "notLoadable",
            "The library of \(owner) can't be loaded: '\(folder)' is on a file system "
                + "mounted noexec.",
            hint: "Use a data folder on another file system: --data FOLDER.")
    }

    package static func noEntry(_ module: String, symbol: String) -> ModuleError {
        ModuleError(
            "noEntry", "The library of module '\(module)' has no entry '\(symbol)'.",
            hint: "Build it with the plugin EmbedManifest, which generates the entry.")
    }

    package static let databaseWhileVerified = ModuleError(
        .notAllowed, "There is no database while the container is verified.",
        hint: "Give the mock implementation data of its own, and open nothing in a factory.")

    package static func findings(_ module: String, _ errors: [RegistrationError]) -> ModuleError {
        ModuleError(
            errors.first?.code ?? .duplicate, errors.map(\.message).joined(separator: " "),
            hint: errors.first?.hint)
    }

    package static func failed(_ module: String, in step: String, _ error: any Error) -> ModuleError {
        let explained = error as? any ExplainedError
        return ModuleError(
            explained?.code ?? .unexpected, "Module '\(module)' failed to \(step): \(message(of: error))",
            hint: explained?.hint, cause: error)
    }

    package static func configuration(_ module: String, _ problem: String) -> ModuleError {
        ModuleError(
            "badConfiguration",
            "The configuration of module '\(module)' in modules.json is wrong: \(problem)",
            hint: "Correct modules.json; the manifest of the module declares the keys.")
    }

    /// Values set with `module configure` are wrong, as after an update that declares other keys.
    package static func configured(_ module: String, _ problems: [(key: String, text: String)]) -> ModuleError
    {
        let resets = problems.map { " --reset \($0.key)" }.joined()
        return ModuleError(
            "badConfiguration",
            "What 'module configure' set for module '\(module)' is wrong: "
                + problems.map(\.text).joined(separator: " "),
            hint: "module configure \(module)\(resets)")
    }

    // MARK: - Requirements

    package static func cycle(_ path: [String]) -> ModuleError {
        ModuleError(
            "requirementCycle",
            "Dependency cycle: \(path.joined(separator: " → ")).",
            hint: "Remove one of these requirements from its module.json.")
    }

    package static func isStarting(_ module: String) -> ModuleError {
        ModuleError(
            "moduleStarting", "Module '\(module)' is already starting.", hint: "why \(module)")
    }

    package static func overdue(_ what: String) -> ModuleError {
        ModuleError("overdue", "\(what) did not end in time.")
    }

    package static func unknown(_ module: String, known: [String]) -> ModuleError {
        ModuleError(
            .unknownModule, "There is no module '\(module.excerpt)'.",
            hint: NearestName.of(module, among: known).map { "Did you mean '\($0)'?" }
                ?? "'modules' lists them.")
    }

    package static func wouldWait(
        _ module: String, _ version: String?, _ reason: String, untilNextStart: Bool = false
    ) -> ModuleError {
        ModuleError(
            untilNextStart ? .contractLater : "requirementMissing",
            "Module '\(module)'\(version.map { " \($0)" } ?? "") could not start: \(reason)",
            hint: untilNextStart
                ? nextStart : "Add or update what it requires in the same command.")
    }

    /// The next step where only another process can have what is needed.
    package static let nextStart =
        "exit --restart starts the host again; it keeps its modules, their state and the screens."

    package static func handOver(
        _ module: String, from: String, to: String, _ error: any Error, _ command: String
    ) -> ModuleError {
        ModuleError(
            "handOver",
            "The state of module '\(module)' \(from) could not be handed over to \(to): \(message(of: error))",
            hint: "module \(command) \(module) --without-state", cause: error)
    }

    /// The database of a module can't be migrated; nothing in it was changed.
    package static func migration(_ module: String, _ error: any Error) -> ModuleError {
        let explained = error as? any ExplainedError
        return ModuleError(
            explained?.code ?? .unexpected,
            explained?.message ?? "The migrations of module '\(module)' failed: \(message(of: error))",
            hint: explained?.hint, cause: error)
    }

    /// A database could not be committed, and those committed before it could not be restored.
    package static func partlyCommitted(_ error: any Error, _ remains: [String]) -> ModuleError {
        let hint = (error as? any ExplainedError)?.hint
        return ModuleError(
            (error as? any ExplainedError)?.code ?? .unexpected,
            ([message(of: error)] + remains).joined(separator: " "),
            hint: hint ?? "Try the change again, which needs the newer versions.", cause: error)
    }

    // MARK: - Any errors

    /// The message of an error, as the end of a sentence.
    package static func message(of error: any Error) -> String {
        (error as? any ExplainedError)?.message ?? StateCoding.reason(of: error)
            ?? "an error of type \(type(of: error))."
    }

    package static func explained(_ error: any Error, of module: String) -> any ExplainedError {
        error as? any ExplainedError ?? failed(module, in: "start", error)
    }

    /// Several errors as one; nil if there is none.
    package static func all(_ errors: [ModuleError]) -> ModuleError? {
        guard let first = errors.first, errors.count > 1 else { return errors.first }
        return ModuleError(
            first.code, errors.map(\.message).joined(separator: " "), hint: first.hint, cause: first.cause)
    }

    private static func list(_ folders: [String]) -> String {
        folders.map { "'\($0)'" }.joined(separator: ", ")
    }
}

extension ErrorCode {
    package static let alreadyThere: ErrorCode = "alreadyThere"
    package static let libraryNotFound: ErrorCode = "libraryNotFound"
    package static let notALibrary: ErrorCode = "notALibrary"
    package static let changedWhileRead: ErrorCode = "changedWhileRead"
    package static let badManifest: ErrorCode = "badManifest"
    package static let storeUnwritable: ErrorCode = "storeUnwritable"
    package static let incompatible: ErrorCode = "incompatible"
    package static let moduleNotActive: ErrorCode = "moduleNotActive"
    package static let unknownModule: ErrorCode = "unknownModule"
}
