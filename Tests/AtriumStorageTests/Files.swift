import Glibc

/// The permissions of a file or folder, such as 0o600; nil if there is none.
func mode(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
}

/// Limits the size of files that this process writes, permanently; for exit tests.
func limitFileSize(_ bytes: UInt) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    getrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = bytes
    setrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit)
}
