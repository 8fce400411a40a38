internal import AtriumKit
internal import AtriumStorage
package import Glibc

/// The write permissions of a file or folder, according to its mode.
///
/// Access control lists are ignored, except for their mask, which is in the group bits.
package struct Permissions: Sendable, Hashable {
    let owner: uid_t
    let group: gid_t
    /// Includes the kind of file.
    let mode: mode_t

    /// Users other than the present one and root who can write.
    enum Writers: Hashable {
        case owner(uid_t)
        case group(gid_t)
        case everybody
    }

    /// Returns the others who can write; nil if only `user` and root can.
    ///
    /// A group with the owner's number counts as the owner. In a folder with the sticky bit others may add
    /// files, but not replace one of another owner; the file's owner is checked with the file.
    func writers(besides user: uid_t) -> Writers? {
        guard owner == user || owner == 0 else { return .owner(owner) }
        let isStickyFolder = mode & S_IFMT == S_IFDIR && mode & S_ISVTX != 0
        if isStickyFolder { return nil }
        if mode & S_IWOTH != 0 { return .everybody }
        return mode & S_IWGRP != 0 && group != owner ? .group(group) : nil
    }

    /// Refuses a library that others can write, or whose folder they can.
    ///
    /// Checks the opened library and two folders: the one that was searched, and the one that links lead to.
    /// Parent folders need no check: a user who can write one of them can replace the last folder, but only
    /// by one that passes this check too.
    ///
    /// - Throws: ``ModuleError`` with code `writableByOthers`, which names the users and the path.
    package static func check(
        _ file: RandomAccessFile, at path: ResolvedPath, kind: String = "library", user: uid_t = geteuid()
    ) throws(ModuleError) {
        if let writers = file.permissions.writers(besides: user) {
            throw .writable(path.resolved, "The \(kind) '\(path.resolved)'", by: writers)
        }
        for folder in path.folders {
            var status = stat()
            guard stat(folder, &status) == 0 else {
                throw ModuleError(
                    .libraryNotFound,
                    "The folder '\(folder)' can't be looked at: \(SystemError.current.reason).",
                    hint: "Try again when it no longer changes.")
            }
            guard let writers = Permissions(status).writers(besides: user) else { continue }
            throw .writable(
                folder, "The folder '\(folder)', which holds \(kind == "index" ? "an" : "a") \(kind),",
                by: writers)
        }
    }
}

extension Permissions {
    init(_ status: stat) {
        self.init(owner: status.st_uid, group: status.st_gid, mode: status.st_mode)
    }
}

extension ModuleError {
    fileprivate static func writable(
        _ path: String, _ what: String, by writers: Permissions.Writers
    ) -> ModuleError {
        let (problem, hint) =
            switch writers {
            case .owner(let owner):
                (
                    "belongs to user \(owner), who can change it",
                    "Check it and make it yours with 'chown', or use a copy of your own."
                )
            case .group(let group):
                ("can be changed by every member of group \(group)", "chmod g-w \(FileSystem.quoted(path))")
            case .everybody: ("can be changed by every user", "chmod go-w \(FileSystem.quoted(path))")
            }
        return ModuleError(.writableByOthers, "\(what) \(problem).", hint: hint)
    }
}

extension FileSystem {
    /// A path quoted as one shell word.
    package static func quoted(_ path: String) -> String {
        "'\(path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    }
}

extension ErrorCode {
    static let writableByOthers: ErrorCode = "writableByOthers"
}
