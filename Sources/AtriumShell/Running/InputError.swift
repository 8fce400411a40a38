package import AtriumKit
internal import Glibc

/// Why commands can't be read.
package struct InputError: ExplainedError, Equatable {
    package let code: ErrorCode
    package let message: String
    package let hint: String?

    static func notUTF8(line: Int) -> InputError {
        InputError(
            code: .badInput, message: "Line \(line) of the commands is not text in UTF-8; it was not run.",
            hint: "Save the commands as UTF-8.")
    }

    static func unreadable(errno: CInt) -> InputError {
        InputError(
            code: .badInput, message: "Standard input can't be read: \(String(cString: strerror(errno))).",
            hint: "Pipe the commands in, or name a file of them: atrium run FILE.")
    }

    package static let badArgument = InputError(
        code: .badInput, message: "An argument of the command line is not text in UTF-8.",
        hint: "Set the terminal to UTF-8.")
}

extension ErrorCode {
    /// Commands can't be read.
    static let badInput: ErrorCode = "badInput"
}
