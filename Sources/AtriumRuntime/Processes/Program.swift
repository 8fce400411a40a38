/// A program that a ``ChildProcess`` runs, and what it is given.
package struct Program: Sendable {
    /// The path of the executable; one that is not absolute is looked up in ``workingFolder``.
    package var path: String
    /// What follows the program's own name.
    package var arguments: [String]
    /// What differs from this process's variables; nil takes one away.
    package var environment: [String: String?] = [:]
    /// The folder that it runs in; nil is this process's.
    package var workingFolder: String?
    package var input = Input.nothing
    package var output = Output.nothing
    package var errors = Errors.nothing
    /// A descriptor of this process that the program finds as number 3; the caller keeps and closes it.
    package var inherited: CInt?

    package init(_ path: String, _ arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }

    /// Where standard input comes from.
    package enum Input: Sendable {
        /// It is at its end.
        case nothing
        /// From ``ChildProcess/input``.
        case pipe
    }

    /// Where standard output goes.
    package enum Output: Sendable {
        /// It is thrown away.
        case nothing
        /// To ``ChildProcess/output``.
        case pipe
        /// To an open descriptor of this process; the caller keeps and closes it.
        case descriptor(CInt)
    }

    /// Where standard error goes.
    package enum Errors: Sendable {
        /// It is thrown away.
        case nothing
        /// To ``ChildProcess/errors``.
        case pipe
        /// To an open descriptor of this process; the caller keeps and closes it.
        case descriptor(CInt)
        /// To where standard output goes, in the order in which both are written.
        case sameAsOutput
    }
}
