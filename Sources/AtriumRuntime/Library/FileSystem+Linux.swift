internal import Glibc

/// Questions about files.
enum FileSystem {
    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// What a symbolic link points to; nil where there is no such link.
    static func linkTarget(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let length = readlink(path, start.assumingMemoryBound(to: CChar.self), buffer.count)
            return length < 0 ? nil : String(decoding: buffer[..<length], as: UTF8.self)
        }
    }

    /// Makes a folder that only its owner can read, unless it is there.
    static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw ModuleError.storeUnwritable(path, errno: errno)
    }

    /// The folder of the running executable.
    static var executableFolder: String {
        let path = linkTarget("/proc/self/exe") ?? ""
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    static var workingFolder: String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }

    /// `path` as it is seen from `folder`.
    static func absolute(_ path: String, in folder: String) -> String {
        path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }
}
