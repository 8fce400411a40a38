import Glibc

/// A folder that goes with the test that made it.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/atrium-storage-XXXXXX".utf8CString)
        path = String(cString: mkdtemp(&template)!)
    }

    deinit {
        Self.remove(path)
    }

    /// The path of something in the folder.
    func path(_ name: String) -> String {
        "\(path)/\(name)"
    }

    /// The names in the folder, sorted.
    var names: [String] {
        Self.names(in: path)
    }

    private static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    private static func remove(_ path: String) {
        for name in names(in: path) { remove("\(path)/\(name)") }
        unlink(path)
        rmdir(path)
    }
}

/// The permissions of a file or folder: 0o600; nil where nothing is there.
func mode(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
}

/// Makes writing beyond `bytes` fail in this process, for ever; for exit tests.
func limitFileSize(_ bytes: UInt) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    getrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = bytes
    setrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit)
}
