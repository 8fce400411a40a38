package import AtriumKit

/// Why Swift code that was typed at a prompt does not run.
package struct SnippetError: ExplainedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?

    /// The module whose internal declarations can't be imported, if that is the reason.
    private(set) var refusedModule: String?

    /// The error of code with this many characters before it in its line.
    private var moved: (@Sendable (Int) -> SnippetError)?

    init(_ code: ErrorCode, _ message: String, hint: String? = nil) {
        (self.code, self.message, self.hint) = (code, message, hint)
    }

    /// Takes the compiler's sentence: "module 'Notes' was not compiled for testing".
    static func notTestable(_ message: String) -> SnippetError {
        var error = compilerFailed(message)
        error.refusedModule = message.split(separator: "'").dropFirst().first.map(String.init)
        return error
    }

    static func noValue(_ word: String) -> SnippetError {
        SnippetError(
            .invalidArgument, "'\(word)' needs a name and a value.", hint: "swift let name = 20 + 22")
    }

    static let notAlone = SnippetError(
        .invalidArgument, "'import' can't be entered together with other code.",
        hint: "swift import Foundation")

    static let noToolchain = SnippetError(
        "noToolchain", "There is no Swift compiler in PATH.",
        hint: "Install the toolchain from https://www.swift.org/install/linux/")

    static func otherToolchain(_ found: String, host: String) -> SnippetError {
        SnippetError(
            "otherToolchain", "The compiler in PATH is Swift \(found), this host was built by Swift \(host).",
            hint: "Put the toolchain of Swift \(host) first in PATH.")
    }

    static func noInterface(_ module: String, _ path: String) -> SnippetError {
        SnippetError(
            "noInterface", "The interface of \(module) is not at '\(path)'.",
            hint: module == "AtriumKit"
                ? "Build the SDK in the checkout: make sdk"
                : "Build it: swift build -c release --product \(module)")
    }

    static func outdatedInterface(_ module: String) -> SnippetError {
        SnippetError(
            "outdatedInterface",
            "\(module) was built again since it was loaded, so its interface is another build's.",
            hint: "module update \(module)")
    }

    static let updated = SnippetError(
        "updated", "A module was updated while the code was compiled; the code was not run.",
        hint: "Enter it again.")

    static func timedOut(_ limit: Duration) -> SnippetError {
        SnippetError("timedOut", "The compiler did not end within \(limit.components.seconds) s.")
    }

    static func notCompiled(_ message: String, line: Int, column: Int, lines: Int) -> SnippetError {
        let position = lines > 1 ? "line \(line), column \(column)" : "column \(column)"
        var error = SnippetError(
            "notCompiled", "\(message.prefix(1).uppercased())\(message.dropFirst()), at \(position).")
        if line == 1 {
            error.moved = { .notCompiled(message, line: 1, column: column + $0, lines: lines) }
        }
        return error
    }

    /// The error with the column of the typed line, which has this many characters before the code.
    package func behind(_ characters: Int) -> SnippetError { moved?(characters) ?? self }

    static func compilerFailed(_ message: String) -> SnippetError {
        SnippetError("compilerFailed", "The compiler failed: \(message).")
    }

    static func noSpace(_ folder: String) -> SnippetError {
        SnippetError(
            "noSpace", "No space is left in '\(folder)', where the code is compiled.",
            hint: "Free some space, or set TMPDIR to another folder.")
    }

    static func notLoaded(_ reason: String) -> SnippetError {
        SnippetError("notLoaded", "The compiled code can't be loaded: \(reason).")
    }

    static func noExecution(_ folder: String) -> SnippetError {
        SnippetError(
            "noExecution", "Nothing may be executed in '\(folder)', where the compiled code is.",
            hint: "Set TMPDIR to another folder.")
    }
}
