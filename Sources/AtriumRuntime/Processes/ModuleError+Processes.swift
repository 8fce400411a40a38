@_spi(Host) package import AtriumKit
internal import Glibc

extension ModuleError {
    static func notStarted(_ program: Program, errno: CInt) -> ModuleError {
        // The system gives one number for a program and for a folder that is missing.
        let folder = program.workingFolder.map { " in '\($0)'" } ?? ""
        return ModuleError(
            .notStarted, "'\(program.path)' can't be run\(folder): \(String(cString: strerror(errno))).")
    }
}

extension ErrorCode {
    /// A program can't be run.
    package static let notStarted: ErrorCode = "notStarted"
}
