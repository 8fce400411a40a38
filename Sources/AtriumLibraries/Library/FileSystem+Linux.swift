internal import AtriumKit
internal import AtriumStorage
internal import Glibc

package enum FileSystem {
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// A value that changes whenever a file is replaced or written to: device, inode, size and change times;
    /// nil if there is no file.
    package static func identity(of path: String) -> String? {
        var status = stat()
        return stat(path, &status) == 0 ? identity(status) : nil
    }

    static func identity(_ status: stat) -> String {
        let numbers = [
            // Some file systems use all bits of the inode.
            Int(bitPattern: status.st_dev), Int(bitPattern: status.st_ino), status.st_size,
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
        return numbers.dropFirst().reduce(into: String(numbers[0], radix: 36)) {
            $0 += "-" + String($1, radix: 36)
        }
    }

    /// The target of a symbolic link; nil if there is no such link.
    package static func linkTarget(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let length = readlink(path, start.assumingMemoryBound(to: CChar.self), buffer.count)
            return length < 0 ? nil : String(decoding: buffer[..<length], as: UTF8.self)
        }
    }

    /// Creates a folder that only its owner can read, unless it exists.
    package static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw ModuleError.storeUnwritable(path, errno: errno)
    }

    /// Opens a file for appending, readable by its owner only; anything but a regular file is renamed first.
    ///
    /// - Returns: The descriptor; negative if the file can't be opened.
    package static func openForAppending(_ path: String) -> CInt {
        let descriptor = openRegularForAppending(path)
        guard descriptor < 0, ![nil, .file].contains(FileStatus(of: path, followsLinks: false)?.kind),
            DamagedFile.rename(path) != nil
        else { return descriptor }
        return openRegularForAppending(path)
    }

    private static func openRegularForAppending(_ path: String) -> CInt {
        // Without `O_NONBLOCK`, opening a pipe would wait for its reader.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return descriptor }
        if descriptor >= 0 { close(descriptor) }
        return -1
    }

    /// Removes a file, a link, or a folder with its contents, as completely as possible.
    package static func remove(_ path: String) {
        // `unlink` fails for a folder, and does not follow a link.
        guard unlink(path) != 0 else { return }
        for name in Folder.names(in: path) ?? [] { remove("\(path)/\(name)") }
        rmdir(path)
    }

    package static func folder(of path: String) -> String {
        // By bytes: finding the borders of characters costs more.
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The folder of a file if its file system forbids execution; nil otherwise.
    package static func folderWithoutExecution(of path: String) -> String? {
        // ST_NOEXEC, which glibc declares for GNU sources only.
        let noExecution: UInt = 8
        var status = statvfs()
        guard statvfs(path, &status) == 0, status.f_flag & noExecution != 0 else { return nil }
        return folder(of: path)
    }

    /// The number of bytes that can be written into a folder; 0 if that is not known.
    package static func freeSpace(in folder: String) -> Int {
        var space = statvfs()
        guard statvfs(folder, &space) == 0 else { return 0 }
        // Some file systems report more blocks than fit.
        return Int(clamping: space.f_bavail).multipliedClamped(by: Int(clamping: space.f_frsize))
    }

    static var workingFolder: String { WorkingFolder.path }

    /// The path without links and dots; nil if it does not exist.
    package static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// An absolute path without `.`, `..` and doubled slashes; links are not followed.
    package static func normalized(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// `path` resolved against `folder`.
    package static func absolute(_ path: String, in folder: String = workingFolder) -> String {
        path.hasPrefix("/") ? path : "\(folder)/\(path)"
    }
}

package enum HostExecutable {
    /// Its path at the first access: read it at the start, as the file may be replaced later.
    package static let path = FileSystem.linkTarget("/proc/self/exe") ?? ""
}

package enum WorkingFolder {
    /// An absolute path, valid for other processes too; it leads nowhere if the folder was deleted.
    package static var path: String {
        guard let path = getcwd(nil, 0) else { return link }
        defer { free(path) }
        // A name that is not UTF-8 would be changed by decoding.
        return String(validatingCString: path) ?? link
    }

    /// True if the folder was deleted.
    package static var isGone: Bool {
        guard let path = getcwd(nil, 0) else { return true }
        free(path)
        return false
    }

    private static var link: String { "/proc/\(getpid())/cwd" }
}
