import Glibc

/// Files without a name, which go with the last process that has them open.
enum UnnamedFile {
    /// `O_TMPFILE` of open(2); a macro that Swift does not import.
    private static let temporaryFile: CInt = 0o20_000_000 | O_DIRECTORY

    /// Makes a file, for writing.
    ///
    /// - Returns: Its descriptor; below 0 where there is none, or no way to name it later.
    static func open(in folder: String, _ mode: mode_t) -> CInt {
        guard access("/proc/self/fd", X_OK) == 0 else { return -1 }
        return Glibc.open(folder, temporaryFile | O_WRONLY | O_CLOEXEC, mode)
    }

    /// Gives a file its first name.
    ///
    /// - Returns: Whether it has one; not where the name is taken, with `errno` as EEXIST.
    static func link(_ descriptor: CInt, to path: String) -> Bool {
        linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
    }
}
