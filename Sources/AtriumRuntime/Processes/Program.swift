@_spi(Host) package import AtriumKit
internal import Glibc

/// A program that a ``ChildProcess`` runs, with its arguments and descriptors.
package struct Program: Sendable {
    /// The path of the executable, absolute or relative to ``workingFolder``.
    package var path: String
    /// The arguments after the program's name.
    package var arguments: [String]
    /// Changes to this process's variables; nil removes one.
    package var environment: [String: String?] = [:]
    /// The folder in which it runs; nil for this process's.
    package var workingFolder: String?
    package var input = Input.nothing
    package var output = Output.nothing
    package var errors = Errors.nothing
    /// A descriptor of this process that the program gets as number 3; the caller closes it.
    package var inherited: CInt?

    package init(_ path: String, _ arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }

    /// Where standard input comes from.
    package enum Input: Sendable {
        /// None: it is empty.
        case nothing
        /// From ``ChildProcess/input``.
        case pipe
    }

    /// Where standard output goes.
    package enum Output: Sendable {
        /// None: it is discarded.
        case nothing
        /// To ``ChildProcess/output``.
        case pipe
        /// To an open descriptor of this process; the caller closes it.
        case descriptor(CInt)
    }

    /// Where standard error goes.
    package enum Errors: Sendable {
        /// None: it is discarded.
        case nothing
        /// To ``ChildProcess/errors``.
        case pipe
        /// To an open descriptor of this process; the caller closes it.
        case descriptor(CInt)
        /// To standard output, in the order in which both are written.
        case sameAsOutput
    }
}

extension ModuleError {
    static func notStarted(_ program: Program, errno: CInt) -> ModuleError {
        // The system reports a missing program and a missing folder by the same number.
        let folder = program.workingFolder.map { " in '\($0)'" } ?? ""
        return ModuleError(
            .notStarted, "'\(program.path)' can't be run\(folder): \(String(cString: strerror(errno))).")
    }
}

extension ErrorCode {
    /// A program can't be run.
    package static let notStarted: ErrorCode = "notStarted"
}
