internal import Glibc
internal import Synchronization

/// A shell that kills the programs of this process and removes its folder if this process is killed.
///
/// It reads the numbers of their groups from a pipe.
package final class CleanUp: Sendable {
    private let shell: pid_t
    private let pipe: CInt
    /// The pipe of the present one.
    private static let current = Mutex<CInt?>(nil)

    private static let script = """
        groups=' '
        while read -r mark number; do
            case $mark in
            +) groups="$groups$number " ;;
            -) groups="${groups%% $number *} ${groups#* $number }" ;;
            .) exit ;;
            esac
        done
        for group in $groups; do kill -9 "-$group"; done
        rm -rf -- "$0"
        """

    /// - Throws: `SystemError` if the shell can't be run.
    package init(removing folder: String) throws {
        let ends = try ChildProcess.pipe()
        defer { close(ends[0]) }
        do {
            shell = try ChildProcess.spawn(["/bin/sh", "-c", Self.script, folder], [ends[0], nil, nil])
        } catch {
            close(ends[1])
            throw error
        }
        pipe = ends[1]
        Self.current.withLock { $0 = ends[1] }
    }

    /// Ends the shell; the folder stays.
    package func end() {
        Self.current.withLock { current in
            Self.write(". 0\n", to: pipe)
            if current == pipe { current = nil }
        }
        close(pipe)
        while waitpid(shell, nil, 0) < 0, errno == EINTR {}
    }

    /// Notes that a process began, with a group of its own, or was reaped.
    static func note(_ process: pid_t, begins: Bool) {
        current.withLock { pipe in
            if let pipe { write("\(begins ? "+" : "-") \(process)\n", to: pipe) }
        }
    }

    private static func write(_ line: String, to pipe: CInt) {
        _ = Array(line.utf8).withUnsafeBytes { Glibc.write(pipe, $0.baseAddress, $0.count) }
    }
}
