@_spi(Host) package import AtriumKit
internal import Glibc

/// A program that a ``ChildProcess`` runs, with this process's variables and working folder, and empty input.
package struct Program: Sendable {
    /// The path of the executable.
    package var path: String
    /// The arguments after the program's name.
    package var arguments: [String]
    package var output = Output.nothing
    package var errors = Errors.nothing

    package init(_ path: String, _ arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }

    /// Where standard output goes.
    package enum Output: Sendable {
        /// None: it is discarded.
        case nothing
        /// To ``ChildProcess/output``.
        case pipe
    }

    /// Where standard error goes.
    package enum Errors: Sendable {
        /// None: it is discarded.
        case nothing
        /// To ``ChildProcess/errors``.
        case pipe
        /// To standard output, in the order in which both are written.
        case sameAsOutput
    }
}

extension ModuleError {
    static func notStarted(_ program: Program, errno: CInt) -> ModuleError {
        ModuleError(.notStarted, "'\(program.path)' can't be run: \(String(cString: strerror(errno))).")
    }
}

extension ErrorCode {
    /// A program can't be run.
    package static let notStarted: ErrorCode = "notStarted"
}
