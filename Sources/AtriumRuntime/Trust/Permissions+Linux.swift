internal import Glibc

/// Who may write a file or a folder, as its mode says.
///
/// Access lists are ignored, except for their mask, which is in the bits of the group.
struct Permissions: Sendable, Hashable {
    let owner: uid_t
    let group: gid_t
    /// Includes the kind of file.
    let mode: mode_t

    init(owner: uid_t, group: gid_t, mode: mode_t) {
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    init(_ status: stat) {
        self.init(owner: status.st_uid, group: status.st_gid, mode: status.st_mode)
    }

    /// The permissions of a folder, links followed.
    ///
    /// - Throws: ``ModuleError`` if there is no such folder.
    init(ofFolder path: String) throws(ModuleError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .folderUnreadable(path, errno: errno) }
        self.init(status)
    }

    /// Who else can write; nil if only `user` and root can.
    ///
    /// A group with the number of the owner counts as the owner. In a folder with the sticky bit others may add
    /// files, but not replace one of another owner; the owner of the file is checked with the file.
    func writers(besides user: uid_t) -> Writers? {
        guard owner == user || owner == 0 else { return .owner(owner) }
        let isStickyFolder = mode & S_IFMT == S_IFDIR && mode & S_ISVTX != 0
        if isStickyFolder { return nil }
        if mode & S_IWOTH != 0 { return .everybody }
        return mode & S_IWGRP != 0 && group != owner ? .group(group) : nil
    }

    /// Those who can write without being the user or root.
    enum Writers: Sendable, Hashable {
        case owner(uid_t)
        case group(gid_t)
        case everybody
    }
}

extension Permissions {
    /// Refuses a library that others can write, or whose folder they can.
    ///
    /// Checks the opened library and two folders: the one in which it was searched for, and the one to which links
    /// lead. Folders above need no check: a person who can write one of them can replace the last folder, but
    /// only by one that passes this check too.
    ///
    /// - Parameters:
    ///   - file: The library.
    ///   - path: Its path.
    ///   - user: The user who starts the host.
    /// - Throws: ``ModuleError`` with code `writableByOthers`, which names who can write what.
    static func check(
        _ file: RandomAccessFile, at path: ResolvedPath, user: uid_t = geteuid()
    ) throws(ModuleError) {
        if let writers = file.permissions.writers(besides: user) {
            throw .writable(path.resolved, by: writers, isFolder: false)
        }
        for folder in path.folders {
            guard let writers = try Permissions(ofFolder: folder).writers(besides: user) else { continue }
            throw .writable(folder, by: writers, isFolder: true)
        }
    }
}
