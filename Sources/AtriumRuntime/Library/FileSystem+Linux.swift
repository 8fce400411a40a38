internal import Glibc

/// Questions about files.
enum FileSystem {
    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// What changes whenever a file is replaced or written to: device, inode, size and times of change; nil
    /// where there is none.
    static func identity(of path: String) -> String? {
        var status = stat()
        return stat(path, &status) == 0 ? identity(status) : nil
    }

    static func identity(_ status: stat) -> String {
        let numbers = [
            Int(status.st_dev), Int(status.st_ino), status.st_size, status.st_mtim.tv_sec,
            status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
        return numbers.dropFirst().reduce(into: String(numbers[0], radix: 36)) {
            $0 += "-" + String($1, radix: 36)
        }
    }

    /// What a symbolic link points to; nil if there is no such link.
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
        let path = HostExecutable.path
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    static var workingFolder: String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }

    /// An absolute path without `.`, `..` and doubled slashes; links are not followed.
    static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// `path` as it is seen from `folder`.
    static func absolute(_ path: String, in folder: String) -> String {
        path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }
}

/// The running executable.
package enum HostExecutable {
    /// Its path.
    package static var path: String { FileSystem.linkTarget("/proc/self/exe") ?? "" }
}
