internal import Glibc

/// Looks programs up as a shell does.
enum ProgramSearch {
    /// Finds a program that can be run.
    ///
    /// - Parameters:
    ///   - name: The program's name.
    ///   - path: The folders; nil takes `PATH` of this process.
    /// - Returns: Its path in the first folder that has it; nil where none does.
    static func find(_ name: String, in path: String? = nil) -> String? {
        let folders = path ?? getenv("PATH").map { String(cString: $0) } ?? ""
        // An empty part is the working folder (POSIX, 8.3); what lies there by chance is not run.
        return folders.split(separator: ":").lazy.map { "\($0)/\(name)" }.first { isProgram($0) }
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
